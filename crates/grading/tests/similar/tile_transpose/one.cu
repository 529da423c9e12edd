constexpr int SIDE = 32;

// padded so that columns lie in different banks
extern "C" __global__ void tile_transpose(const float* in, float* out, int rows, int cols) {
    __shared__ float tile[SIDE][SIDE + 1];

    int x = blockIdx.x * SIDE + threadIdx.x;
    int y = blockIdx.y * SIDE + threadIdx.y;
    if (y < rows && x < cols)
        tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
    __syncthreads();

    x = blockIdx.y * SIDE + threadIdx.x;
    y = blockIdx.x * SIDE + threadIdx.y;
    if (y < cols && x < rows)
        out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}
