// Collects the bytes of a square's columns by name, and moves each word to another column of the
// tile instead of padding the rows.

extern "C" __global__ void transpose_bytes(const unsigned char* in, unsigned char* out, int rows,
                                           int cols) {
    __shared__ uchar4 tile[64][16];  // word x of row y is in column (x + y / 4) % 16
    const int first_row = blockIdx.y * 64;
    const int first_col = blockIdx.x * 64;
    const int tx = threadIdx.x % 16;
    const int ty = threadIdx.x / 16;
    const int row = first_row + 4 * ty;
    const int col = first_col + 4 * tx;
    if (row < rows && col < cols) {
        uchar4 r[4];
        for (int k = 0; k < 4; ++k) {
            r[k] = *reinterpret_cast<const uchar4*>(in + (row + k) * cols + col);
        }
        const int at = (ty + tx) % 16;
        tile[4 * tx][at] = make_uchar4(r[0].x, r[1].x, r[2].x, r[3].x);
        tile[4 * tx + 1][at] = make_uchar4(r[0].y, r[1].y, r[2].y, r[3].y);
        tile[4 * tx + 2][at] = make_uchar4(r[0].z, r[1].z, r[2].z, r[3].z);
        tile[4 * tx + 3][at] = make_uchar4(r[0].w, r[1].w, r[2].w, r[3].w);
    }
    __syncthreads();
    for (int y = threadIdx.x / 16; y < 64; y += 16) {
        if (first_col + y < cols && first_row + 4 * tx < rows) {
            uchar4* to = reinterpret_cast<uchar4*>(out + (first_col + y) * rows + first_row) + tx;
            *to = tile[y][(tx + y / 4) % 16];
        }
    }
}
