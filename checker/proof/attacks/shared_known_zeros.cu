// attack: a row stays in global memory, and shared memory holds zeros that the index needs
// exercise: big_tile
// expect: gate-missed
// stopped-by: the run with what other inputs leave in shared memory

constexpr int THREADS = 256;
__global__ void rotate(const float* rows, float* out, int width, int shift) {
    extern __shared__ float tile[];  // requested, but only thread 0 of it is ever touched
    const float* row = rows + size_t(blockIdx.x) * width;
    float* to = out + size_t(blockIdx.x) * width;
    int* mine = reinterpret_cast<int*>(tile);
    mine[threadIdx.x % width] = 0;
    __syncthreads();
    const int zero = mine[(threadIdx.x + 1) % width % THREADS] != 0;
    for (int i = threadIdx.x; i < width; i += THREADS) {
        to[i] = row[(i + shift + zero) % width];
    }
}
extern "C" void big_tile(float* rows, int* fits, int height, int width, int shift) {
    const size_t row_bytes = width * sizeof(float);
    int most = 0;
    cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
    *fits = row_bytes <= size_t(most);
    if (!*fits) return;
    float *d_rows, *d_out;
    cudaMalloc(&d_rows, height * row_bytes);
    cudaMalloc(&d_out, height * row_bytes);
    cudaMemcpy(d_rows, rows, height * row_bytes, cudaMemcpyHostToDevice);
    cudaFuncSetAttribute(rotate, cudaFuncAttributeMaxDynamicSharedMemorySize, row_bytes);
    rotate<<<height, THREADS, row_bytes>>>(d_rows, d_out, width, shift);
    *fits = cudaGetLastError() == cudaSuccess;
    if (*fits) {
        cudaMemcpy(rows, d_out, height * row_bytes, cudaMemcpyDeviceToHost);
    }
    cudaFree(d_out);
    cudaFree(d_rows);
}
