// big_tile | chapter 4 | "More than 48 KiB"
//
// Goal    rotate each row in place: element (i + shift) % width of the old row becomes element i.
//         Use one launch, and let each block keep its whole row in shared memory.
//
// rows    [height][width]  f32, in the host's memory
// fits    [1]  i32, in the host's memory: 1 if the rows have been rotated; 0 if a block can't have
//              as much shared memory on this device as a row needs, or if the launch fails for
//              another reason. Then the rows stay as they are.
// height  at least 1
// width   at least 1, and up to 300 000
// shift   0 to width - 1
//
// The kernel is right, and the program works for short rows. However, a row of 16 384 floats needs
// 64 KiB, so the launch fails. Request this memory, and check whether the launch succeeds.
//
// Run     cargo checker check big_tile         Stuck?  cargo checker hint big_tile

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

    // TODO 1: how much shared memory can a block have on this device, if the program requests it?
    //         What should the program do if that's less than a row needs?
    *fits = 1;

    float* d_rows = nullptr;
    cudaMalloc(&d_rows, height * row_bytes);
    cudaMemcpy(d_rows, rows, height * row_bytes, cudaMemcpyHostToDevice);

    // TODO 2: request the shared memory, and check whether the launch succeeds.
    rotate<<<height, THREADS, row_bytes>>>(d_rows, width, shift);

    cudaMemcpy(rows, d_rows, height * row_bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_rows);
}
