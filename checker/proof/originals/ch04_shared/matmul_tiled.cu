// matmul_tiled | chapter 4 | "Load once, use sixteen times"
//
// Goal    compute c = a * b (matrix product). If inner is 128, use at most 16.8 loads for an
//         element of c. This kernel needs 256.
//
// a       [rows][inner]  f32, read only
// b       [inner][cols]  f32, read only
// c       [rows][cols]   f32, every element must be written
// rows, inner, cols      counts, any >= 1
// launch  blocks of TILE x TILE threads; (blockIdx.y, blockIdx.x) is the tile's row and column in c
//
// Each thread computes one element of c, and loads a row of a and a column of b for itself. Its
// neighbours load the same row or the same column. Use at most two tiles of shared memory.
//
// Run     cargo checker check matmul_tiled     Stuck?  cargo checker hint matmul_tiled

constexpr int TILE = 16;  // elements along each side of a tile; one thread for each element

extern "C" __global__ void matmul_tiled(const float* a, const float* b, float* c, int rows,
                                        int inner, int cols) {
    const int row = blockIdx.y * TILE + threadIdx.y;  // row of a and c, 0 .. at least rows-1
    const int col = blockIdx.x * TILE + threadIdx.x;  // column of b and c, 0 .. at least cols-1

    if (row < rows && col < cols) {
        float acc = 0.0f;
        for (int k = 0; k < inner; ++k) {
            acc += a[row * inner + k] * b[k * cols + col];
        }
        c[row * cols + col] = acc;
    }
}
