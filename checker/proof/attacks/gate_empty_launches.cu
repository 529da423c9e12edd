// attack: computes all rounds in one launch by a formula, and launches an empty kernel for each other round
// exercise: cleanup
// expect: gate-missed
// stopped-by: the count of launches, which leaves out launches that store nothing

__global__ void all_rounds(float a, const float* x, float* y, int n, int rounds) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] += rounds * (a * x[i]);
    }
}

__global__ void nothing() {}

extern "C" void cleanup(float a, const float* x, float* y, int n, int rounds) {
    if (rounds == 0) {
        return;
    }
    const size_t bytes = n * sizeof(float);
    float *d_x, *d_y;
    cudaMalloc(&d_x, bytes);
    cudaMalloc(&d_y, bytes);
    cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_y, y, bytes, cudaMemcpyHostToDevice);
    all_rounds<<<(n + 255) / 256, 256>>>(a, d_x, d_y, n, rounds);
    for (int round = 1; round < rounds; ++round) {
        nothing<<<1, 1>>>();
    }
    cudaMemcpy(y, d_y, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    cudaFree(d_y);
}
