// A thread loads a word from each of four rows, which makes a square of 4 x 4 bytes, and transposes
// the square in registers. The tile consists of words, so it transposes the squares. All accesses
// to global and shared memory are words, and a request moves 128 bytes. Because each row of the
// tile has 17 words, only two lanes of a store into it use the same bank.

constexpr int SIDE = 64;         // bytes along each side of a tile
constexpr int WORDS = SIDE / 4;  // words in a row of the tile; a block has WORDS * WORDS threads

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

extern "C" __global__ void transpose_bytes(const unsigned char* in, unsigned char* out, int rows,
                                           int cols) {
    __shared__ unsigned tile[SIDE][WORDS + 1];  // a tile of `out`

    const int first_row = blockIdx.y * SIDE;  // first row of the tile in `in`
    const int first_col = blockIdx.x * SIDE;
    const int tx = threadIdx.x % WORDS;  // consecutive in half a warp
    const int ty = threadIdx.x / WORDS;

    const int row = first_row + 4 * ty;  // first row of the square in `in`
    const int col = first_col + 4 * tx;
    if (row < rows && col < cols) {
        unsigned w[4];
        for (int k = 0; k < 4; ++k) {
            w[k] = *reinterpret_cast<const unsigned*>(in + (row + k) * cols + col);
        }
        transpose_square(w);
        for (int k = 0; k < 4; ++k) {
            tile[4 * tx + k][ty] = w[k];
        }
    }

    __syncthreads();  // the tile is complete before any thread reads another thread's words

    const int out_row = first_col + 4 * ty;  // first of four rows of `out`
    const int out_col = first_row + 4 * tx;
    if (out_row < cols && out_col < rows) {
        for (int k = 0; k < 4; ++k) {
            unsigned* word = reinterpret_cast<unsigned*>(out + (out_row + k) * rows + out_col);
            *word = tile[4 * ty + k][tx];
        }
    }
}
