// A thread loads 16 bytes from each of four rows, which makes four squares of 4 x 4 bytes, and
// transposes the squares in registers. The tile consists of words, so it transposes the squares.
// All accesses to global memory move 16 bytes for each lane. Where a word is in its row of the tile
// depends on the row, so the lanes of a store into the tile use different banks.

constexpr int ROWS = 256;  // rows of a tile in `in`
constexpr int COLS = 128;
constexpr int THREADS = 512;          // threads of a block
constexpr int WORDS = ROWS / 4;       // words in a row of the tile of `out`
constexpr int VECTORS = ROWS / 16;    // vectors of 16 bytes in a row of the tile of `out`

// Transposes a square of 4 x 4 bytes. Byte 0 of a word is its first byte in memory.
__device__ void transpose_square(unsigned (&w)[4]) {
    // These words alternate between two rows, first in columns 0 and 1, then in columns 2 and 3.
    const unsigned upper01 = __byte_perm(w[0], w[1], 0x5140);
    const unsigned upper23 = __byte_perm(w[0], w[1], 0x7362);
    const unsigned lower01 = __byte_perm(w[2], w[3], 0x5140);
    const unsigned lower23 = __byte_perm(w[2], w[3], 0x7362);
    // Each half of these words has two bytes of a column.
    w[0] = __byte_perm(upper01, lower01, 0x5410);
    w[1] = __byte_perm(upper01, lower01, 0x7632);
    w[2] = __byte_perm(upper23, lower23, 0x5410);
    w[3] = __byte_perm(upper23, lower23, 0x7632);
}

// Returns the index of a word in the tile. The words of 16 rows begin 4 words after those of the 16
// rows above, and those at the end of a row continue at its beginning.
__device__ int index_of(int row, int word) {
    return row * WORDS + (word + 4 * (row / 16)) % WORDS;
}

extern "C" __global__ void transpose_bytes(const unsigned char* in, unsigned char* out, int rows,
                                           int cols) {
    __shared__ __align__(16) unsigned tile[COLS * WORDS];  // a tile of `out`

    const int first_row = blockIdx.y * ROWS;  // first row of the tile in `in`
    const int first_col = blockIdx.x * COLS;

    const int tx = threadIdx.x % (COLS / 16);
    const int ty = threadIdx.x / (COLS / 16);
    const int row = first_row + 4 * ty;  // first row of the squares in `in`
    const int col = first_col + 16 * tx;
    if (row < rows && col < cols) {
        unsigned words[4][4];  // words[k] is from row k
        for (int k = 0; k < 4; ++k) {
            const uint4 v = *reinterpret_cast<const uint4*>(in + (row + k) * cols + col);
            words[k][0] = v.x;
            words[k][1] = v.y;
            words[k][2] = v.z;
            words[k][3] = v.w;
        }
        for (int square = 0; square < 4; ++square) {
            unsigned w[4];
            for (int k = 0; k < 4; ++k) {
                w[k] = words[k][square];
            }
            transpose_square(w);
            for (int k = 0; k < 4; ++k) {
                tile[index_of(16 * tx + 4 * square + k, ty)] = w[k];
            }
        }
    }

    __syncthreads();  // the tile is complete before any thread reads another thread's words

    const int vx = threadIdx.x % VECTORS;  // consecutive in half a warp
    const int out_col = first_row + 16 * vx;
    for (int y = threadIdx.x / VECTORS; y < COLS; y += THREADS / VECTORS) {
        if (first_col + y < cols && out_col < rows) {
            uint4* vector = reinterpret_cast<uint4*>(out + (first_col + y) * rows + out_col);
            *vector = *reinterpret_cast<const uint4*>(&tile[index_of(y, 4 * vx)]);
        }
    }
}
