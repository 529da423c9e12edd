// attack: writes columns by atomic exchanges, so that no sector of a store is counted
// exercise: tile_transpose
// expect: uncoalesced
// stopped-by: gates count what moves data: an atomic operation is a store, with all its sectors

extern "C" __global__ void tile_transpose(const float* in, float* out, int rows, int cols) {
    const int row = blockIdx.y * 32 + threadIdx.y;
    const int col = blockIdx.x * 32 + threadIdx.x;
    if (row < rows && col < cols) {
        atomicExch(out + col * rows + row, in[row * cols + col]);
    }
}
