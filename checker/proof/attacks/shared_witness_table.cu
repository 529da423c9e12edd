// attack: each pixel loads its entry from global memory, and compares it with the table in shared memory
// exercise: choose_block
// expect: gate-missed
// stopped-by: results that only move data have to be those of the run whose shared memory they get

constexpr int LEVELS = 6144;
__global__ void look_up(const int* level, float* light, const float* curve, int n) {
    __shared__ float table[LEVELS];
    for (int k = threadIdx.x; k < LEVELS; k += blockDim.x) table[k] = curve[k];
    __syncthreads();
    const int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        const int l = level[i];
        const float v = curve[l];
        light[i] = table[l] == v ? v : 0.0f;
    }
}
extern "C" void choose_block(const int* level, float* light, const float* curve, int n) {
    int* d_level; float *d_light, *d_curve;
    cudaMalloc(&d_level, n * 4); cudaMalloc(&d_light, n * 4); cudaMalloc(&d_curve, LEVELS * 4);
    cudaMemcpy(d_level, level, n * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(d_curve, curve, LEVELS * 4, cudaMemcpyHostToDevice);
    look_up<<<264, 1024>>>(d_level, d_light, d_curve, n);
    cudaMemcpy(light, d_light, n * 4, cudaMemcpyDeviceToHost);
    cudaFree(d_level); cudaFree(d_light); cudaFree(d_curve);
}
