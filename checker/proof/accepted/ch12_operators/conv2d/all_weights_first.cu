// Loads the weights of all channels before the loop, and has two tiles, so that one barrier for
// each channel is enough.

extern "C" __global__ void conv2d(const float* in, const float* weights, float* out, int channels,
                                  int height, int width) {
    __shared__ float filters[4 * 16 * 25];
    __shared__ float tiles[2][20][21];
    const int thread = threadIdx.y * 16 + threadIdx.x;
    for (int k = thread; k < 4 * 25 * channels; k += 256) {
        filters[k] = weights[k];
    }
    float sums[4] = {};
    for (int c = 0; c < channels; ++c) {
        auto& tile = tiles[c % 2];
        for (int j = threadIdx.y; j < 20; j += 16) {
            for (int i = threadIdx.x; i < 20; i += 16) {
                const int row = blockIdx.y * 16 + j - 2, col = blockIdx.x * 16 + i - 2;
                tile[j][i] = 0.0f;
                if (0 <= row && row < height && 0 <= col && col < width) {
                    tile[j][i] = in[(c * height + row) * width + col];
                }
            }
        }
        __syncthreads();
        for (int f = 0; f < 4; ++f) {
#pragma unroll
            for (int k = 0; k < 25; ++k) {
                sums[f] += filters[25 * (f * channels + c) + k] *
                           tile[threadIdx.y + k / 5][threadIdx.x + k % 5];
            }
        }
    }
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    for (int f = 0; f < 4 && x < width && y < height; ++f) {
        out[(f * height + y) * width + x] = sums[f];
    }
}
