// matrix_add_2d | chapter 1 | "Two dimensions"
//
// Goal    compute out = a + b for matrices. If cols is a multiple of 32, use 4 sectors per request.
//
// a, b    [rows][cols]  f32, read only; row after row in memory
// out     [rows][cols]  f32, every element must be written, by one thread
// rows    count         any rows >= 1
// cols    count         any cols >= 1
// launch  a 2-D grid of 2-D blocks, with at least max(rows, cols) threads in x and in y
//
// This kernel is right but slow. If a block is 32 threads wide, a warp's threads differ only in x.
//
// Run     cargo checker check matrix_add_2d    Stuck?  cargo checker hint matrix_add_2d

extern "C" __global__ void matrix_add_2d(const float* a, const float* b, float* out, int rows,
                                         int cols) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;  // 0 .. at least rows-1
    const int col = blockIdx.y * blockDim.y + threadIdx.y;  // 0 .. at least cols-1

    if (row < rows && col < cols) {
        out[row * cols + col] = a[row * cols + col] + b[row * cols + col];
    }
}
