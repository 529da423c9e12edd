// wmma_matmul | chapter 12 | "A warp multiplies tiles"
//
// Goal    compute c = a * b (matrix product) on tensor cores.
//
// a       [rows][inner]  __half, read only
// b       [inner][cols]  __half, read only
// c       [rows][cols]   f32, every element must be written
// rows, inner, cols      counts, multiples of 16
// launch  blocks of 32 x 4 threads, which are four warps; a warp computes a tile of 16 x 16
//         elements of c
//
// Run     cargo checker check wmma_matmul      Stuck?  cargo checker hint wmma_matmul

#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

constexpr int TILE = 16;  // elements along each side of a tile

extern "C" __global__ void wmma_matmul(const __half* a, const __half* b, float* c, int rows,
                                       int inner, int cols) {
    const int row = (blockIdx.y * 4 + threadIdx.y) * TILE;  // first row of this warp's tile of c
    const int col = blockIdx.x * TILE;                      // its first column

    // TODO 1: if row isn't a row of c, the warp has no tile, and all of its threads return.

    // TODO 2: declare fragments for a tile of a, for a tile of b and for the sums. All sums are 0.

    // TODO 3: let k go over the tiles along inner. Load two tiles, and add their product.

    // TODO 4: store the sums as a tile of c.
}
