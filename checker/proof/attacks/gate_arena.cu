// attack: allocates all memory of a hundred rounds at once, so nothing is ever free
// exercise: cleanup
// expect: gate-missed
// stopped-by: the bytes that are allocated at once

__global__ void saxpy(float a, const float* x, const float* y, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) out[idx] = a * x[idx] + y[idx];
}
extern "C" void cleanup(float a, const float* x, float* y, int n, int rounds) {
    const size_t bytes = n * sizeof(float);
    float* arena = nullptr; cudaMalloc(&arena, 3 * bytes * rounds + 4);
    for (int round = 0; round < rounds; ++round) {
        float *d_x = arena + size_t(3) * n * round, *d_y = d_x + n, *d_out = d_y + n;
        cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice);
        cudaMemcpy(d_y, y, bytes, cudaMemcpyHostToDevice);
        saxpy<<<(n + 255) / 256, 256>>>(a, d_x, d_y, d_out, n);
        cudaMemcpy(y, d_out, bytes, cudaMemcpyDeviceToHost);
    }
    cudaFree(arena);
}
