// attack: loads each tile again for each filter, with loads of four floats
// exercise: conv2d
// expect: gate-missed
// stopped-by: loads of threads, of which one of 16 bytes counts as four

constexpr int BLOCK = 16;             // pixels along each side of a block
constexpr int RADIUS = 2;             // neighbours on each side
constexpr int SIDE = 2 * RADIUS + 1;  // neighbours in a row
constexpr int FILTERS = 4;
constexpr int WIDE = 24;  // columns of a tile, with two unused ones on each side

extern "C" __global__ void conv2d(const float* in, const float* weights, float* out, int channels,
                                  int height, int width) {
    __shared__ float tile[BLOCK + 2 * RADIUS][WIDE];
    __shared__ float filter[SIDE * SIDE];
    const int x = blockIdx.x * BLOCK + threadIdx.x;  // column of this thread's pixel
    const int y = blockIdx.y * BLOCK + threadIdx.y;  // its row
    const int tid = threadIdx.y * BLOCK + threadIdx.x;
    const int x0 = blockIdx.x * BLOCK - 4;
    const int y0 = blockIdx.y * BLOCK - RADIUS;

    // Each filter loads all pixels of all channels again.
    for (int f = 0; f < FILTERS; ++f) {
        float sum = 0.0f;
        for (int c = 0; c < channels; ++c) {
            __syncthreads();
            if (tid < SIDE * SIDE) {
                filter[tid] = weights[(f * channels + c) * SIDE * SIDE + tid];
            }
            for (int t = tid; t < (BLOCK + 2 * RADIUS) * WIDE / 4; t += BLOCK * BLOCK) {
                const int r = t / (WIDE / 4), q = t % (WIDE / 4) * 4;
                const int row = y0 + r, col = x0 + q;
                float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
                if (row >= 0 && row < height) {
                    const float* from = in + (c * height + row) * width;
                    if (width % 4 == 0) {
                        if (col >= 0 && col < width) {
                            v = *reinterpret_cast<const float4*>(from + col);
                        }
                    } else {
                        if (col >= 0 && col < width) v.x = from[col];
                        if (col + 1 >= 0 && col + 1 < width) v.y = from[col + 1];
                        if (col + 2 >= 0 && col + 2 < width) v.z = from[col + 2];
                        if (col + 3 >= 0 && col + 3 < width) v.w = from[col + 3];
                    }
                }
                tile[r][q] = v.x, tile[r][q + 1] = v.y, tile[r][q + 2] = v.z, tile[r][q + 3] = v.w;
            }
            __syncthreads();
            for (int j = 0; j < SIDE; ++j) {
                for (int i = 0; i < SIDE; ++i) {
                    sum += filter[j * SIDE + i] * tile[threadIdx.y + j][threadIdx.x + 2 + i];
                }
            }
        }
        if (x < width && y < height) {
            out[(f * height + y) * width + x] = sum;
        }
    }
}
