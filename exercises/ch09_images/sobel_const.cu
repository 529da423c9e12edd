// sobel_const | chapter 9 | "A tile and its halo"
//
// Goal    compute out = |across| + |down|, which says how steep the image is at each pixel. Both
//         are sums over the pixel and its eight neighbours, where dy and dx are 0, 1 and 2:
//             across = sum of smooth[dy] * slope[dx] * neighbour(row + dy - 1, col + dx - 1)
//             down   = sum of slope[dy] * smooth[dx] * neighbour(row + dy - 1, col + dx - 1)
//         For 96 x 160 pixels, use at most 1.35 loads from global memory per pixel instead of 9.
//
// image   [height][width]  f32, in the host's memory, read only
// out     [height][width]  f32, in the host's memory, every element must be written
// smooth  [3]              f32, in the host's memory; Sobel's are 1 2 1
// slope   [3]              f32, in the host's memory; Sobel's are -1 0 1
// border  how to treat pixels beyond the image: ZERO, CLAMP or WRAP
//
// Run     cargo checker check sobel_const      Stuck?  cargo checker hint sobel_const

constexpr int TILE = 32;        // pixels along each side of a block; one thread for each pixel
constexpr int SIDE = TILE + 2;  // cells along each side of the tile, with a halo of one pixel

constexpr int ZERO = 0;   // pixels outside the image are 0
constexpr int CLAMP = 1;  // the pixel at the edge repeats
constexpr int WRAP = 2;   // the image repeats on the other side

__constant__ float smooth_weights[3];
__constant__ float slope_weights[3];

// The row (or column) to use for index i, or -1 if i is outside the image and counts as 0.
__device__ int stands_for(int i, int n, int border) {
    // TODO 1: inside the image, return i. Which row stands for i outside of the image?

    return -1;
}

__global__ void sobel(const float* __restrict__ image, float* __restrict__ out, int height,
                      int width, int border) {
    __shared__ float tile[SIDE][SIDE];  // cell (0, 0) is above and to the left of the first pixel

    const int tx = threadIdx.x;              // index in the block, 0 .. TILE-1
    const int ty = threadIdx.y;              // 0 .. TILE-1
    const int col = blockIdx.x * TILE + tx;  // my pixel
    const int row = blockIdx.y * TILE + ty;

    // TODO 2: fill the tile. There are fewer threads than cells. Which threads fill the rest?

    // TODO 3: when may a thread read a cell that another thread has filled?

    // TODO 4: compute the two sums and the result. Which threads have a pixel?
}

extern "C" void sobel_const(const float* image, float* out, const float* smooth,
                            const float* slope, int height, int width, int border) {
    const size_t bytes = size_t(height) * width * sizeof(float);
    float* d_image = nullptr;
    float* d_out = nullptr;

    // TODO 5: allocate memory on the device, and copy the image to it.

    // TODO 6: copy the weights to the two __constant__ arrays (cudaMemcpyToSymbol).

    const dim3 block(TILE, TILE);
    // TODO 7: how many blocks do you need in x and in y? Launch the kernel.

    // TODO 8: copy the result back, and free the memory.
}
