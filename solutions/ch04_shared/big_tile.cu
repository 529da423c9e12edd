// First, the program gets the device's limit. If a row fits, it calls cudaFuncSetAttribute, so that
// the launch may request this much dynamic shared memory. The launch requests width * 4 bytes for
// each block, which is a whole row, so a block loads and stores each element only once. There are
// two attributes for the limit. The attribute without "Optin" is the limit for a launch without
// cudaFuncSetAttribute, which is 48 KiB on every GPU.

constexpr int THREADS = 256;

// launch: a block for each row, with width * sizeof(float) bytes of dynamic shared memory
__global__ void rotate(float* rows, int width, int shift) {
    extern __shared__ float tile[];
    float* row = rows + blockIdx.x * width;
    for (int i = threadIdx.x; i < width; i += THREADS) {
        tile[i] = row[i];
    }
    __syncthreads();  // the tile is complete, so the row may be overwritten
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
