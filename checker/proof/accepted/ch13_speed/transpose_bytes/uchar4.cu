// Collects the bytes of a square's columns by name, and finds the place of a vector in the tile with
// an exclusive or.

struct __align__(16) Vector {
    uchar4 words[4];
};

extern "C" __global__ void transpose_bytes(const unsigned char* in, unsigned char* out, int rows,
                                           int cols) {
    __shared__ Vector tile[128][16];  // vector x of row y is in column x ^ y / 16
    const int first_row = blockIdx.y * 256;
    const int first_col = blockIdx.x * 128;
    const int tx = threadIdx.x % 8;
    const int ty = threadIdx.x / 8;
    const int row = first_row + 4 * ty;
    const int col = first_col + 16 * tx;
    if (row < rows && col < cols) {
        Vector r[4];
        for (int k = 0; k < 4; ++k) {
            r[k] = *reinterpret_cast<const Vector*>(in + (row + k) * cols + col);
        }
        for (int s = 0; s < 4; ++s) {
            const uchar4 a = r[0].words[s], b = r[1].words[s], c = r[2].words[s], d = r[3].words[s];
            Vector(*rows_of_square)[16] = &tile[16 * tx + 4 * s];
            const int at = ty / 4 ^ tx;
            rows_of_square[0][at].words[ty % 4] = make_uchar4(a.x, b.x, c.x, d.x);
            rows_of_square[1][at].words[ty % 4] = make_uchar4(a.y, b.y, c.y, d.y);
            rows_of_square[2][at].words[ty % 4] = make_uchar4(a.z, b.z, c.z, d.z);
            rows_of_square[3][at].words[ty % 4] = make_uchar4(a.w, b.w, c.w, d.w);
        }
    }
    __syncthreads();
    const int x = threadIdx.x % 16;
    for (int y = threadIdx.x / 16; y < 128; y += 32) {
        if (first_col + y < cols && first_row + 16 * x < rows) {
            Vector* to = reinterpret_cast<Vector*>(out + (first_col + y) * rows + first_row) + x;
            *to = tile[y][x ^ y / 16];
        }
    }
}
