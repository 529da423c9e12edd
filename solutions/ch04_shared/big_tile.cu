// The program gets the device's limit first, and if a row fits, cudaFuncSetAttribute lets the
// kernel have as much dynamic shared memory as the launch then requests. A block takes width * 4
// bytes, so it can hold a whole row and load and store each element only once. The attribute for
// the limit has two names, and the one without "Optin" is what a block gets without a request,
// which is 48 KiB on every GPU.

constexpr int THREADS = 256;

// launch: a block for each row, with width * sizeof(float) bytes of dynamic shared memory
__global__ void rotate(float* rows, int width, int shift) {
    extern __shared__ float tile[];
    float* row = rows + blockIdx.x * width;
    for (int i = threadIdx.x; i < width; i += THREADS) {
        tile[i] = row[i];
    }
    __syncthreads();  // the row is complete, and may be overwritten
    for (int i = threadIdx.x; i < width; i += THREADS) {
        row[i] = tile[(i + shift) % width];
    }
}

extern "C" void big_tile(float* rows, int* fits, int height, int width, int shift) {
    const size_t row_bytes = width * sizeof(float);

    int device = 0, limit = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    *fits = row_bytes <= limit;
    if (!*fits) {
        return;
    }

    float* d_rows = nullptr;
    cudaMalloc(&d_rows, height * row_bytes);
    cudaMemcpy(d_rows, rows, height * row_bytes, cudaMemcpyHostToDevice);

    cudaFuncSetAttribute(rotate, cudaFuncAttributeMaxDynamicSharedMemorySize, row_bytes);
    rotate<<<height, THREADS, row_bytes>>>(d_rows, width, shift);
    *fits = cudaGetLastError() == cudaSuccess;

    if (*fits) {
        cudaMemcpy(rows, d_rows, height * row_bytes, cudaMemcpyDeviceToHost);
    }
    cudaFree(d_rows);
}
