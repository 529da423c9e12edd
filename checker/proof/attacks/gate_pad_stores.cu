// attack: stores 24 times to an array of its own, in whole sectors, to lower the average of slow stores
// exercise: tile_transpose
// expect: uncoalesced
// stopped-by: wasted sectors are divided by the requests that the exercise needs, and not by all requests

__device__ volatile float pad[1 << 20];

extern "C" __global__ void tile_transpose(const float* in, float* out, int rows, int cols) {
    const int row = blockIdx.y * 32 + threadIdx.y;
    const int col = blockIdx.x * 32 + threadIdx.x;
    if (row < rows && col < cols) {
        out[col * rows + row] = in[row * cols + col];
    }
    const int block = blockIdx.y * gridDim.x + blockIdx.x;
    for (int i = 0; i < 64; ++i) {
        pad[(block * 1024 + threadIdx.y * 32 + threadIdx.x) % (1 << 20)] = 1.0f;
    }
}
