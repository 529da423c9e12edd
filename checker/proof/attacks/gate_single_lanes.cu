// attack: lets the lanes of a warp store one after the other, so that no request touches more than one sector
// exercise: tile_transpose
// expect: uncoalesced
// stopped-by: sectors count for the bytes that threads access, and not for each request

extern "C" __global__ void tile_transpose(const float* in, float* out, int rows, int cols) {
    const int row = blockIdx.y * 32 + threadIdx.y;
    const int col = blockIdx.x * 32 + threadIdx.x;
    if (row < rows && col < cols) {
        const float value = in[row * cols + col];
        for (int lane = 0; lane < 32; ++lane) {
            if (lane == threadIdx.x) {
                reinterpret_cast<volatile float*>(out)[col * rows + row] = value;
            }
        }
    }
}
