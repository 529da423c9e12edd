// For each channel, the block loads a tile of 20 x 20 pixels and the weights of all filters. Then
// each thread reads 25 pixels of the tile, and uses each of them for four sums. A pixel outside the
// image is 0 in the tile, so the sums need no conditions.

constexpr int BLOCK = 16;             // pixels along each side of a block
constexpr int RADIUS = 2;             // neighbours on each side
constexpr int SIDE = 2 * RADIUS + 1;  // neighbours in a row
constexpr int FILTERS = 4;
constexpr int TILE = BLOCK + 2 * RADIUS;  // pixels along each side of a tile

extern "C" __global__ void conv2d(const float* in, const float* weights, float* out, int channels,
                                  int height, int width) {
    __shared__ float tile[TILE][TILE];
    __shared__ float taps[SIDE * SIDE][FILTERS];  // the weights of a channel

    const int x = blockIdx.x * BLOCK + threadIdx.x;  // column of this thread's pixel
    const int y = blockIdx.y * BLOCK + threadIdx.y;  // its row
    const int thread = threadIdx.y * BLOCK + threadIdx.x;

    float sums[FILTERS] = {};
    for (int c = 0; c < channels; ++c) {
        for (int k = thread; k < TILE * TILE; k += BLOCK * BLOCK) {
            const int row = blockIdx.y * BLOCK + k / TILE - RADIUS;
            const int col = blockIdx.x * BLOCK + k % TILE - RADIUS;
            const bool inside = row >= 0 && row < height && col >= 0 && col < width;
            tile[k / TILE][k % TILE] = inside ? in[(c * height + row) * width + col] : 0.0f;
        }
        if (thread < SIDE * SIDE * FILTERS) {
            const int f = thread / (SIDE * SIDE);
            const int k = thread % (SIDE * SIDE);
            taps[k][f] = weights[(f * channels + c) * SIDE * SIDE + k];
        }
        __syncthreads();  // the tile is complete before any thread uses it

        for (int j = 0; j < SIDE; ++j) {
            for (int i = 0; i < SIDE; ++i) {
                const float pixel = tile[threadIdx.y + j][threadIdx.x + i];
                for (int f = 0; f < FILTERS; ++f) {
                    sums[f] += taps[j * SIDE + i][f] * pixel;
                }
            }
        }
        __syncthreads();  // every thread has used the tile before any thread overwrites it
    }

    if (x < width && y < height) {
        for (int f = 0; f < FILTERS; ++f) {
            out[(f * height + y) * width + x] = sums[f];
        }
    }
}
