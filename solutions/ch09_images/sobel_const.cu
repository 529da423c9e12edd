// A block loads its pixels and a halo once, and each thread reads nine pixels from shared memory,
// so 32 x 32 pixels need 34 x 34 loads (1.13 for each pixel instead of 9) and one barrier. The
// weights are in constant memory, because all threads use the same weights. In each iteration, the
// block fills one cell per thread, so the corners need no special case. The kernel decides the
// value of a pixel beyond the border only once, where it fills the cell.

constexpr int TILE = 32;        // pixels along each side of a block; one thread for each pixel
constexpr int SIDE = TILE + 2;  // cells along each side of the tile, with a halo of one pixel

constexpr int ZERO = 0;   // pixels outside the image are 0
constexpr int CLAMP = 1;  // the pixel at the edge repeats
constexpr int WRAP = 2;   // the image repeats on the other side

__constant__ float smooth_weights[3];
__constant__ float slope_weights[3];

// The row (or column) to use for index i, or -1 if i is outside the image and counts as 0.
__device__ int stands_for(int i, int n, int border) {
    if (0 <= i && i < n) {
        return i;
    }
    if (border == CLAMP) {
        return i < 0 ? 0 : n - 1;
    }
    if (border == WRAP) {
        return (i + n) % n;
    }
    return -1;
}

__global__ void sobel(const float* __restrict__ image, float* __restrict__ out, int height,
                      int width, int border) {
    __shared__ float tile[SIDE][SIDE];  // cell (0, 0) is above and to the left of the first pixel

    const int tx = threadIdx.x;              // index in the block, 0 .. TILE-1
    const int ty = threadIdx.y;              // 0 .. TILE-1
    const int col = blockIdx.x * TILE + tx;  // my pixel
    const int row = blockIdx.y * TILE + ty;

    for (int cell = ty * TILE + tx; cell < SIDE * SIDE; cell += TILE * TILE) {
        const int y = stands_for(blockIdx.y * TILE - 1 + cell / SIDE, height, border);
        const int x = stands_for(blockIdx.x * TILE - 1 + cell % SIDE, width, border);
        tile[cell / SIDE][cell % SIDE] = y >= 0 && x >= 0 ? image[y * width + x] : 0.0f;
    }

    __syncthreads();  // every cell is filled before any thread reads another thread's cell

    if (row < height && col < width) {
        float across = 0.0f;
        float down = 0.0f;
        for (int dy = 0; dy < 3; ++dy) {
            for (int dx = 0; dx < 3; ++dx) {
                const float value = tile[ty + dy][tx + dx];
                across += smooth_weights[dy] * slope_weights[dx] * value;
                down += slope_weights[dy] * smooth_weights[dx] * value;
            }
        }
        out[row * width + col] = fabsf(across) + fabsf(down);
    }
}

extern "C" void sobel_const(const float* image, float* out, const float* smooth,
                            const float* slope, int height, int width, int border) {
    const size_t bytes = size_t(height) * width * sizeof(float);
    float* d_image = nullptr;
    float* d_out = nullptr;

    cudaMalloc(&d_image, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemcpy(d_image, image, bytes, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(smooth_weights, smooth, 3 * sizeof(float));
    cudaMemcpyToSymbol(slope_weights, slope, 3 * sizeof(float));

    const dim3 block(TILE, TILE);
    const dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
    sobel<<<grid, block>>>(d_image, d_out, height, width, border);

    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    cudaFree(d_image);
}
