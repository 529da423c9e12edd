constexpr int SIDE = 32;  // elements of a tile on either side; a thread for each

struct Place {
    int row;
    int col;
};

__device__ Place place_of(int block_row, int block_col) {
    Place p;
    p.row = block_row * SIDE + threadIdx.y;
    p.col = block_col * SIDE + threadIdx.x;
    return p;
}

extern "C" __global__ void tile_transpose(const float* in, float* out, int rows, int cols) {
    __shared__ float square[SIDE][SIDE];

    const Place source = place_of(blockIdx.y, blockIdx.x);
    const Place target = place_of(blockIdx.x, blockIdx.y);
    const bool reads = source.row < rows && source.col < cols;
    const bool writes = target.row < cols && target.col < rows;

    // xor spreads a column over the banks without wasting memory
    square[threadIdx.y][threadIdx.x ^ threadIdx.y] = reads ? in[source.row * cols + source.col] : 0.f;
    __syncthreads();
    if (writes) out[target.row * rows + target.col] = square[threadIdx.x][threadIdx.x ^ threadIdx.y];
}
