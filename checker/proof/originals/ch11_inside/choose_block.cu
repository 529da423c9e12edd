// choose_block | chapter 11 | "Which resource runs out first?"
//
// Goal    choose the size of the blocks so that all 64 warps of an H100's multiprocessor are
//         resident, and launch no more blocks than the device holds at the same time.
//
// level   [n]  int, in the host's memory: a level of brightness, 0 <= level[i] < 6144
// light   [n]  f32, in the host's memory: light[i] = curve[level[i]]
// curve   [6144]  f32, in the host's memory: the brightness that the screen shows for each level
// n       count   any n >= 1
//
// The program is right. The kernel copies the whole curve into shared memory. That's 24 KiB for
// each block, whatever the size of the block. On an H100, only 18 warps are resident if a block has
// 64 threads.
//
// Run     cargo checker check choose_block     Stuck?  cargo checker hint choose_block

constexpr int LEVELS = 6144;

// launch: any number of blocks of any size
__global__ void look_up(const int* level, float* light, const float* curve, int n) {
    __shared__ float table[LEVELS];
    for (int k = threadIdx.x; k < LEVELS; k += blockDim.x) {
        table[k] = curve[k];
    }
    __syncthreads();
    const int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        light[i] = table[level[i]];
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

    // TODO: how many threads must a block have so that 64 warps are resident on a multiprocessor?
    //       And how many of these blocks does the device hold at the same time?
    const int block = 64;
    const int grid = 9 * 132;  // 9 blocks on each of the 132 multiprocessors of an H100
    look_up<<<grid, block>>>(d_level, d_light, d_curve, n);

    cudaMemcpy(light, d_light, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_level);
    cudaFree(d_light);
    cudaFree(d_curve);
}
