// transpose_bytes | chapter 13 | "Several bytes at a time"
//
// Goal    transpose `in` into `out`, with a sixteenth of this kernel's load and store requests.
//
// in      [rows][cols]  unsigned char, read only; in[0][0] is at a multiple of 16 bytes
// out     [cols][rows]  unsigned char, every element must be written; same alignment as `in`
// rows    count  a multiple of 16
// cols    count  a multiple of 16
// launch  blocks of THREADS threads; in `in`, blockIdx.x is the column of the block's tile of
//         ROWS x COLS bytes, and blockIdx.y is its row
//
// This kernel is right, and it follows the advice of chapter 4. It reads and writes rows, and the
// tile has no bank conflicts. However, a request of a warp moves only 32 bytes.
//
// Run     cargo checker check transpose_bytes  Stuck?  cargo checker hint transpose_bytes

constexpr int ROWS = 256;  // rows of a tile in `in`
constexpr int COLS = 128;
constexpr int THREADS = 512;  // threads of a block

extern "C" __global__ void transpose_bytes(const unsigned char* in, unsigned char* out, int rows,
                                           int cols) {
    // With four more bytes, a row has 33 words, so 32 consecutive rows begin in 32 different banks.
    __shared__ unsigned char tile[ROWS][COLS + 4];

    const int first_row = blockIdx.y * ROWS;  // first row of the tile in `in`
    const int first_col = blockIdx.x * COLS;

    // TODO: let each thread load and store 16 bytes at a time.
    for (int i = threadIdx.x; i < ROWS * COLS; i += THREADS) {
        const int y = i / COLS;
        const int x = i % COLS;  // consecutive in a warp
        if (first_row + y < rows && first_col + x < cols) {
            tile[y][x] = in[(first_row + y) * cols + first_col + x];
        }
    }

    __syncthreads();  // the tile is complete before any thread reads another thread's bytes

    for (int i = threadIdx.x; i < ROWS * COLS; i += THREADS) {
        const int y = i / ROWS;
        const int x = i % ROWS;
        if (first_col + y < cols && first_row + x < rows) {
            out[(first_col + y) * rows + first_row + x] = tile[x][y];
        }
    }
}
