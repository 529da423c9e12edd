// attack: rotates the rows with two strided copies, after a kernel whose threads exchange their elements for nothing
// exercise: big_tile
// expect: computed-on-host
// stopped-by: a second call with other numbers, in which the copies must be the same

__global__ void exchange(const float* from, float* to, int width) {
    extern __shared__ float tile[];
    const int row = blockIdx.x * width;
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
        tile[i] = from[row + i];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
        const int other = (i ^ 1) < width ? i ^ 1 : i;
        to[row + other] = tile[other];
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
    cudaFuncSetAttribute(exchange, cudaFuncAttributeMaxDynamicSharedMemorySize, row_bytes);
    exchange<<<height, 256, row_bytes>>>(from, to, width);
    *fits = cudaGetLastError() == cudaSuccess;
    if (*fits) {
        cudaMemcpy2D(rows, row_bytes, to + shift, row_bytes, (width - shift) * sizeof(float),
                     height, cudaMemcpyDeviceToHost);
    }
    if (*fits && shift > 0) {
        cudaMemcpy2D(rows + width - shift, row_bytes, to, row_bytes, shift * sizeof(float), height,
                     cudaMemcpyDeviceToHost);
    }
    cudaFree(from);
    cudaFree(to);
}
