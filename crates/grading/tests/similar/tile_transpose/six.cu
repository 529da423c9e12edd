constexpr int SIDE = 32;  // elements of a tile on either side; a thread for each

__device__ void load(float (&tile)[SIDE][SIDE], const float* in, int rows, int cols, int by, int bx) {
    const float* corner = in + by * SIDE * cols + bx * SIDE;
    if (by * SIDE + threadIdx.y >= rows || bx * SIDE + threadIdx.x >= cols) {
        return;
    }
    tile[threadIdx.x][threadIdx.y] = corner[threadIdx.y * cols + threadIdx.x];
}

__device__ void store(const float (&tile)[SIDE][SIDE], float* out, int height, int width, int by, int bx) {
    float* corner = out + by * SIDE * width + bx * SIDE;
    if (by * SIDE + threadIdx.y >= height || bx * SIDE + threadIdx.x >= width) {
        return;
    }
    corner[threadIdx.y * width + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}

extern "C" __global__ void tile_transpose(const float* in, float* out, int rows, int cols) {
    __shared__ float tile[SIDE][SIDE];
    load(tile, in, rows, cols, blockIdx.y, blockIdx.x);
    __syncthreads();
    store(tile, out, cols, rows, blockIdx.x, blockIdx.y);
}
