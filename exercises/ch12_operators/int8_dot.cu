// int8_dot | chapter 12 | "Four bytes in a word"
//
// Goal    compute y[v] = w * x[v] for four vectors, scaled, rounded and saturated to 8 bits. If a
//         row has 4096 elements, use at most 160 load requests and 900 instructions for it.
//         This kernel needs 640 and 1681.
//
// w       [rows][cols]  signed char, read only
// x       [4][cols]     signed char, read only
// y       [4][rows]     signed char, y[v][r] = the sum of w[r][c] * x[v][c], divided by 2^shift,
//                       rounded, and limited to -128 .. 127
// rows    count         any rows >= 1
// cols    count         a multiple of 16
// shift   count         1 to 16
// launch  1-D, blocks of 128 threads; a warp multiplies a row by all four vectors
//
// The kernel is right, but each load of a warp moves only 32 bytes, and a thread multiplies one
// pair of numbers at a time.
//
// Run     cargo checker check int8_dot         Stuck?  cargo checker hint int8_dot

constexpr int VECTORS = 4;  // vectors in x, with cols elements each

extern "C" __global__ void int8_dot(const signed char* w, const signed char* x, signed char* y,
                                    int rows, int cols, int shift) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (row >= rows) {
        return;
    }

    int sums[VECTORS] = {};
    for (int c = lane; c < cols; c += 32) {
        const int weight = w[row * cols + c];
        for (int v = 0; v < VECTORS; ++v) {
            sums[v] += weight * x[v * cols + c];
        }
    }

    for (int v = 0; v < VECTORS; ++v) {
        int sum = sums[v];
        for (int offset = 16; offset > 0; offset /= 2) {
            sum += __shfl_down_sync(0xffffffffu, sum, offset);
        }
        if (lane == 0) {
            const int scaled = (sum + (1 << (shift - 1))) >> shift;
            y[v * rows + row] = min(max(scaled, -128), 127);
        }
    }
}
