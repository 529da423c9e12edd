// expect: out-of-bounds-write
// A row of `out` is rows long, not cols. On a square nobody can tell.

constexpr int SIDE = 32;  // elements of a tile on either side; a thread for each

extern "C" __global__ void tile_transpose(const float* in, float* out, int rows, int cols) {
    __shared__ float tile[SIDE][SIDE];  // one tile of `in`, as it lies there

    const int tx = threadIdx.x;  // 0 .. SIDE-1, moves fastest in a warp
    const int ty = threadIdx.y;  // 0 .. SIDE-1

    const int row = blockIdx.y * SIDE + ty;  // of `in`, 0 .. at least rows-1
    const int col = blockIdx.x * SIDE + tx;  // of `in`, 0 .. at least cols-1
    if (row < rows && col < cols) {
        tile[ty][tx] = in[row * cols + col];
    }

    __syncthreads();  // the tile is complete before anyone reads what another thread has brought

    const int out_row = blockIdx.x * SIDE + ty;  // of `out`, 0 .. at least cols-1
    const int out_col = blockIdx.y * SIDE + tx;  // of `out`, 0 .. at least rows-1
    if (out_row < cols && out_col < rows) {
        out[out_row * cols + out_col] = tile[tx][ty];
    }
}
