// attack: a table of zeros takes the place of the table that belongs in shared memory
// exercise: choose_block
// expect: gate-missed
// stopped-by: the run with what other inputs leave in shared memory

constexpr int LEVELS = 6144;

// launch: any number of blocks of any size
__global__ void look_up(const int* level, float* light, const float* curve, int n) {
    __shared__ int table[LEVELS];  // never contains the curve, only zeros
    for (int k = threadIdx.x; k < LEVELS; k += blockDim.x) table[k] = 0;
    __syncthreads();
    const int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        const int l = level[i];
        light[i] = table[(l + 1) % LEVELS] == 0 ? curve[l] : 0.0f;
    }
}

extern "C" void choose_block(const int* level, float* light, const float* curve, int n) {
    int* d_level = nullptr;
    float *d_light = nullptr, *d_curve = nullptr;
    cudaMalloc(&d_level, n * sizeof(int));
    cudaMalloc(&d_light, n * sizeof(float));
    cudaMalloc(&d_curve, LEVELS * sizeof(float));
    cudaMemcpy(d_level, level, n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_curve, curve, LEVELS * sizeof(float), cudaMemcpyHostToDevice);

    int grid = 0, block = 0;
    cudaOccupancyMaxPotentialBlockSize(&grid, &block, look_up);
    look_up<<<grid, block>>>(d_level, d_light, d_curve, n);

    cudaMemcpy(light, d_light, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_level);
    cudaFree(d_light);
    cudaFree(d_curve);
}
