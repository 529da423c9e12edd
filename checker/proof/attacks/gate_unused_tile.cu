// attack: requests much shared memory that it doesn't use, and rotates the rows through global memory
// exercise: big_tile
// expect: gate-missed
// stopped-by: the counts of what it uses: shared memory counts only if threads pass values to each other

__global__ void rotate(const float* from, float* to, int width, int shift) {
    extern __shared__ float tile[];
    const float* row = from + blockIdx.x * width;
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
        tile[i] = row[(i + shift) % width];
        to[blockIdx.x * width + i] = tile[i];
    }
}

extern "C" void big_tile(float* rows, int* fits, int height, int width, int shift) {
    const size_t row_bytes = width * sizeof(float);
    int limit = 0;
    cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
    *fits = row_bytes <= limit;
    if (!*fits) {
        return;
    }
    float *from = nullptr, *to = nullptr;
    cudaMalloc(&from, height * row_bytes);
    cudaMalloc(&to, height * row_bytes);
    cudaMemcpy(from, rows, height * row_bytes, cudaMemcpyHostToDevice);
    cudaFuncSetAttribute(rotate, cudaFuncAttributeMaxDynamicSharedMemorySize, row_bytes);
    rotate<<<height, 256, row_bytes>>>(from, to, width, shift);
    *fits = cudaGetLastError() == cudaSuccess;
    if (*fits) {
        cudaMemcpy(rows, to, height * row_bytes, cudaMemcpyDeviceToHost);
    }
    cudaFree(from);
    cudaFree(to);
}
