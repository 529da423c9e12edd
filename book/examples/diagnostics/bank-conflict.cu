extern "C" __global__ void bank_conflicts(const float* in, float* out, int rows, int cols) {
    __shared__ float tile[32][32];
    const int col = blockIdx.x * 32 + threadIdx.x;
    for (int y = threadIdx.y; y < 32; y += blockDim.y) {
        const int row = blockIdx.y * 32 + y;
        if (row < rows && col < cols) {
            tile[y][threadIdx.x] = in[row * cols + col];
        }
    }
    __syncthreads();
    const int out_col = blockIdx.y * 32 + threadIdx.x;
    for (int y = threadIdx.y; y < 32; y += blockDim.y) {
        const int out_row = blockIdx.x * 32 + y;
        if (out_row < cols && out_col < rows) {
            out[out_row * rows + out_col] = tile[threadIdx.x][y];
        }
    }
}
