// Stores the vectors of `in` in the tile, and collects the bytes of a column after the barrier, with
// shifts instead of __byte_perm.

extern "C" __global__ void transpose_bytes(const unsigned char* in, unsigned char* out, int rows,
                                           int cols) {
    __shared__ uint4 tile[256][8];  // vector x of row y is in column (x + y / 16) % 8
    const int first_row = blockIdx.y * 256;
    const int first_col = blockIdx.x * 128;
    for (int y = threadIdx.x / 8; y < 256; y += 64) {
        const int x = threadIdx.x % 8;
        if (first_row + y < rows && first_col + 16 * x < cols) {
            const unsigned char* vector = in + (first_row + y) * cols + first_col + 16 * x;
            tile[y][(x + y / 16) % 8] = *reinterpret_cast<const uint4*>(vector);
        }
    }
    __syncthreads();

    // A thread has four columns of a square of 16 rows.
    const int x = threadIdx.x % 16;
    const int y = threadIdx.x / 16;
    if (first_col + 4 * y >= cols || first_row + 16 * x >= rows) {
        return;
    }
    unsigned w[16];
    for (int k = 0; k < 16; ++k) {
        const uint4* vector = &tile[16 * x + k][(y / 4 + x) % 8];
        w[k] = reinterpret_cast<const unsigned*>(vector)[y % 4];
    }
    for (int column = 0; column < 4; ++column) {
        unsigned v[4];
        for (int word = 0; word < 4; ++word) {
            v[word] = 0;
            for (int k = 0; k < 4; ++k) {
                v[word] |= (w[4 * word + k] >> 8 * column & 255) << 8 * k;
            }
        }
        const int row = first_col + 4 * y + column;
        *reinterpret_cast<uint4*>(out + row * rows + first_row + 16 * x) =
            make_uint4(v[0], v[1], v[2], v[3]);
    }
}
