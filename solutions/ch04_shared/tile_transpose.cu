// The kernel loads rows and stores rows, and transposes the tile in shared memory, so both the
// loads and the stores take 4 sectors per request. Each block waits at one barrier. For the store,
// the kernel swaps blockIdx.x with blockIdx.y, and tx with ty in the index of the tile, so that
// threadIdx.x runs along a row both times.

constexpr int SIDE = 32;  // elements along each side of a tile; one thread for each element

extern "C" __global__ void tile_transpose(const float* in, float* out, int rows, int cols) {
    __shared__ float tile[SIDE][SIDE];  // one tile of `in`, in the same order

    const int tx = threadIdx.x;  // 0 .. SIDE-1, consecutive in a warp
    const int ty = threadIdx.y;  // 0 .. SIDE-1

    const int row = blockIdx.y * SIDE + ty;  // row of `in`, 0 .. at least rows-1
    const int col = blockIdx.x * SIDE + tx;  // column of `in`, 0 .. at least cols-1
    if (row < rows && col < cols) {
        tile[ty][tx] = in[row * cols + col];
    }

    __syncthreads();  // the tile is complete before any thread reads another thread's element

    const int out_row = blockIdx.x * SIDE + ty;  // row of `out`, 0 .. at least cols-1
    const int out_col = blockIdx.y * SIDE + tx;  // column of `out`, 0 .. at least rows-1
    if (out_row < cols && out_col < rows) {
        out[out_row * rows + out_col] = tile[tx][ty];
    }
}
