// A block moves over a and b tile by tile. Its threads load two tiles together, and then each
// thread uses 16 elements of each tile. So 16 threads use each loaded element, and if inner is 128,
// an element of c takes 2 * 128 / 16 = 16 loads instead of 256. Each pair of tiles takes two
// barriers. For an element outside a or b, the tile contains a 0, which doesn't change the sum, so
// no thread has to skip a barrier.

constexpr int TILE = 16;  // elements along each side of a tile; one thread for each element

extern "C" __global__ void matmul_tiled(const float* a, const float* b, float* c, int rows,
                                        int inner, int cols) {
    __shared__ float a_tile[TILE][TILE];
    __shared__ float b_tile[TILE][TILE];

    const int tx = threadIdx.x;              // 0 .. TILE-1, consecutive for neighbouring threads
    const int ty = threadIdx.y;              // 0 .. TILE-1
    const int row = blockIdx.y * TILE + ty;  // row of a and c, 0 .. at least rows-1
    const int col = blockIdx.x * TILE + tx;  // column of b and c, 0 .. at least cols-1

    float acc = 0.0f;
    for (int first = 0; first < inner; first += TILE) {
        const int a_col = first + tx;  // column of the element of a that this thread loads
        const int b_row = first + ty;  // row of the element of b that this thread loads
        a_tile[ty][tx] = row < rows && a_col < inner ? a[row * inner + a_col] : 0.0f;
        b_tile[ty][tx] = b_row < inner && col < cols ? b[b_row * cols + col] : 0.0f;
        __syncthreads();  // both tiles are complete before any thread uses them

        for (int k = 0; k < TILE; ++k) {
            acc += a_tile[ty][k] * b_tile[k][tx];
        }
        __syncthreads();  // every thread has used both tiles before any thread overwrites them
    }

    if (row < rows && col < cols) {
        c[row * cols + col] = acc;
    }
}
