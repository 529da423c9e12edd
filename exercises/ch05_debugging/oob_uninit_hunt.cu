// oob_uninit_hunt | chapter 5 | "Read the report"
//
// Goal    find three bugs, one after the other, with the help of the reports.
//
// in      [rows][cols]  f32, read only
// out     [rows][cols]  f32, the mean of each element and its 8 neighbours, which are 0 beyond the
//                       edge; every element must be written, once
// rows, cols  counts    any
// launch  a 2-D grid of blocks of 16 x 16 threads, enough of them for all elements
//
// Each block copies its part of `in` and one more element on every side to shared memory. After
// the barrier, each thread adds up nine elements. This plan is right, but three lines are wrong.
//
// Run     cargo checker check oob_uninit_hunt  Stuck?  cargo checker hint oob_uninit_hunt

constexpr int SIDE = 16;         // threads along each side of a block
constexpr int FRAME = SIDE + 2;  // cells along each side of its tile

extern "C" __global__ void oob_uninit_hunt(const float* in, float* out, int rows, int cols) {
    __shared__ float tile[FRAME * FRAME];

    const int row = blockIdx.y * SIDE + threadIdx.y;   // 0 .. at least rows-1
    const int col = blockIdx.x * SIDE + threadIdx.x;   // 0 .. at least cols-1
    const int tid = threadIdx.y * SIDE + threadIdx.x;  // 0 .. 255

    // Cell k of the tile is in row k / FRAME and in column k % FRAME.
    for (int k = tid; k < SIDE * SIDE; k += SIDE * SIDE) {
        const int r = blockIdx.y * SIDE + k / FRAME - 1;  // -1 .. at least rows
        const int c = blockIdx.x * SIDE + k % FRAME - 1;  // -1 .. at least cols
        const bool inside = (r >= 0 && r < rows) || (c >= 0 && c < cols);
        tile[k] = inside ? in[r * cols + c] : 0.0f;
    }
    __syncthreads();  // the tile is filled before any thread reads it

    if (row <= rows && col < cols) {
        float sum = 0.0f;
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 3; c++) {
                sum += tile[(threadIdx.y + r) * FRAME + threadIdx.x + c];
            }
        }
        out[row * cols + col] = sum / 9.0f;
    }
}
