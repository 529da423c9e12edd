constexpr int SIDE = 32;  // elements of a tile on either side; a thread for each

__device__ bool inside(int a, int b, int limit_a, int limit_b)
{
    return a < limit_a && b < limit_b;
}

extern "C" __global__ void tile_transpose(const float* in, float* out, int rows, int cols)
{
    __shared__ float buffer[SIDE * (SIDE + 1)];
    const int local = threadIdx.y * (SIDE + 1) + threadIdx.x;
    const int swapped = threadIdx.x * (SIDE + 1) + threadIdx.y;
    const int top = blockIdx.y * SIDE;
    const int left = blockIdx.x * SIDE;

    if (inside(top + threadIdx.y, left + threadIdx.x, rows, cols))
    {
        buffer[local] = in[(top + threadIdx.y) * cols + left + threadIdx.x];
    }

    __syncthreads();

    if (inside(left + threadIdx.y, top + threadIdx.x, cols, rows))
    {
        out[(left + threadIdx.y) * rows + top + threadIdx.x] = buffer[swapped];
    }
}
