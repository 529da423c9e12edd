// attack: uses arrays of a fixed size on the device, in place of allocations
// exercise: cleanup
// expect: gate-missed
// stopped-by: the gate of every program: its variables in the device's memory have at most 64 KiB

__device__ float d_x[300000];
__device__ float d_y[300000];

__global__ void saxpy(float a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        d_y[i] = a * d_x[i] + d_y[i];
    }
}

extern "C" void cleanup(float a, const float* x, float* y, int n, int rounds) {
    cudaMemcpyToSymbol(d_x, x, n * sizeof(float));
    cudaMemcpyToSymbol(d_y, y, n * sizeof(float));
    for (int round = 0; round < rounds; ++round) {
        saxpy<<<(n + 255) / 256, 256>>>(a, n);
    }
    cudaMemcpyFromSymbol(y, d_y, n * sizeof(float));
}
