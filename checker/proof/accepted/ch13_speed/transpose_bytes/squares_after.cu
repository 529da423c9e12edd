// Stores the words of `in` in the tile, and transposes the squares after the barrier, with shifts
// instead of __byte_perm.

extern "C" __global__ void transpose_bytes(const unsigned char* in, unsigned char* out, int rows,
                                           int cols) {
    __shared__ unsigned tile[4][16][17];  // row y of the tile is tile[y % 4][y / 4]
    const int first_row = blockIdx.y * 64;
    const int first_col = blockIdx.x * 64;
    const int tx = threadIdx.x % 16;
    const int ty = threadIdx.x / 16;
    for (int k = 0; k < 4; ++k) {
        const int row = first_row + 4 * ty + k;
        if (row < rows && first_col + 4 * tx < cols) {
            const unsigned char* word = in + row * cols + first_col + 4 * tx;
            tile[k][ty][tx] = *reinterpret_cast<const unsigned*>(word);
        }
    }
    __syncthreads();

    if (first_col + 4 * ty >= cols || first_row + 4 * tx >= rows) {
        return;
    }
    unsigned w[4];
    for (int k = 0; k < 4; ++k) {
        w[k] = tile[k][tx][ty];
    }
    for (int k = 0; k < 4; ++k) {
        const unsigned word = (w[0] >> 8 * k & 255) | (w[1] >> 8 * k & 255) << 8 |
                              (w[2] >> 8 * k & 255) << 16 | (w[3] >> 8 * k & 255) << 24;
        const int row = first_col + 4 * ty + k;
        *reinterpret_cast<unsigned*>(out + row * rows + first_row + 4 * tx) = word;
    }
}
