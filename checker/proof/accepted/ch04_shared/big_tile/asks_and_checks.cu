// Does not find out the limit: the call that asks for the memory says whether the device has it.

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

    const cudaError_t asked = cudaFuncSetAttribute(
        rotate, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(row_bytes));
    *fits = asked == cudaSuccess;
    if (!*fits) {
        cudaGetLastError();  // resets the error
        return;
    }

    float* d_rows = nullptr;
    cudaMalloc(&d_rows, height * row_bytes);
    cudaMemcpy(d_rows, rows, height * row_bytes, cudaMemcpyHostToDevice);

    rotate<<<height, THREADS, row_bytes>>>(d_rows, width, shift);
    *fits = cudaGetLastError() == cudaSuccess;

    if (*fits) {
        cudaMemcpy(rows, d_rows, height * row_bytes, cudaMemcpyDeviceToHost);
    }
    cudaFree(d_rows);
}
