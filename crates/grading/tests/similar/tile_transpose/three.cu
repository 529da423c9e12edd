constexpr int SIDE = 32;

extern "C" __global__ void tile_transpose(const float* in, float* out, int rows, int cols) {
    __shared__ float t[32][33];
    float value = 0.0f;
    size_t from = size_t(blockIdx.y * 32 + threadIdx.y) * cols + (blockIdx.x * 32 + threadIdx.x);
    size_t to = size_t(blockIdx.x * 32 + threadIdx.y) * rows + (blockIdx.y * 32 + threadIdx.x);

    // threads without an element put a zero there, nobody reads it anyway
    if (blockIdx.x * 32 + threadIdx.x < cols) {
        if (blockIdx.y * 32 + threadIdx.y < rows) {
            value = in[from];
        }
    }
    t[threadIdx.x][threadIdx.y] = value;
    __syncthreads();
    value = t[threadIdx.y][threadIdx.x];
    if (blockIdx.x * 32 + threadIdx.y >= cols) return;
    if (blockIdx.y * 32 + threadIdx.x >= rows) return;
    out[to] = value;
}
