// An element is inside if both its row and its column are inside, and row number `rows` is the
// first row outside. The threads must fill all FRAME * FRAME cells of the tile, because a cell that
// no thread fills is uninitialised. The 256 threads fill the 324 cells in two iterations. An
// element needs 9 additions. You couldn't see all three bugs in one report, because a report shows
// the first mistake, and a later mistake may be a consequence of the first one.

constexpr int SIDE = 16;         // threads along each side of a block
constexpr int FRAME = SIDE + 2;  // cells along each side of its tile

extern "C" __global__ void oob_uninit_hunt(const float* in, float* out, int rows, int cols) {
    __shared__ float tile[FRAME * FRAME];

    const int row = blockIdx.y * SIDE + threadIdx.y;   // 0 .. at least rows-1
    const int col = blockIdx.x * SIDE + threadIdx.x;   // 0 .. at least cols-1
    const int tid = threadIdx.y * SIDE + threadIdx.x;  // 0 .. 255

    // Cell k of the tile is in row k / FRAME and in column k % FRAME.
    for (int k = tid; k < FRAME * FRAME; k += SIDE * SIDE) {
        const int r = blockIdx.y * SIDE + k / FRAME - 1;  // -1 .. at least rows
        const int c = blockIdx.x * SIDE + k % FRAME - 1;  // -1 .. at least cols
        const bool inside = (r >= 0 && r < rows) && (c >= 0 && c < cols);
        tile[k] = inside ? in[r * cols + c] : 0.0f;
    }
    __syncthreads();  // the tile is filled before any thread reads it

    if (row < rows && col < cols) {
        float sum = 0.0f;
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 3; c++) {
                sum += tile[(threadIdx.y + r) * FRAME + threadIdx.x + c];
            }
        }
        out[row * cols + col] = sum / 9.0f;
    }
}
