// expect: gate-missed
// No two lanes ever meet in a bank: each of the 32 comes alone.

constexpr int SIDE = 32;  // elements of a tile on either side; a thread for each

extern "C" __global__ void bank_conflicts(const float* in, float* out, int rows, int cols) {
    // One word more than a row needs: so each row begins one bank after the row above.
    __shared__ float tile[SIDE][SIDE + 1];

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
        float value = 0.0f;
        for (int lane = 0; lane < SIDE; ++lane) {
            if (lane == tx) {
                value = *(volatile float*)&tile[tx][ty];
            }
            __syncwarp(__activemask());
        }
        out[out_row * rows + out_col] = value;
    }
}
