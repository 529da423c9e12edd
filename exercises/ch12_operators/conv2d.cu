// conv2d | chapter 12 | "A tile for each channel"
//
// Goal    compute out[f][y][x] = the sum of weights[f][c][j][i] * in[c][y+j-2][x+i-2] over all
//         channels c and 5 x 5 neighbours, for four filters f. Use at most 2.3 loads for an element
//         of out, if the image has four channels. This kernel needs 192.6.
//
// in      [channels][height][width]  f32, read only; every pixel outside the image is 0
// weights [4][channels][5][5]        f32, read only
// out     [4][height][width]         f32, every element must be written
// channels, height, width            counts, any >= 1
// launch  blocks of 16 x 16 threads; a thread computes a pixel for all four filters
//
// Neighbouring threads load nearly the same pixels, and load each pixel again for every filter. All
// threads load the same weights.
//
// Run     cargo checker check conv2d           Stuck?  cargo checker hint conv2d

constexpr int BLOCK = 16;             // pixels along each side of a block
constexpr int RADIUS = 2;             // neighbours on each side
constexpr int SIDE = 2 * RADIUS + 1;  // neighbours in a row
constexpr int FILTERS = 4;

extern "C" __global__ void conv2d(const float* in, const float* weights, float* out, int channels,
                                  int height, int width) {
    const int x = blockIdx.x * BLOCK + threadIdx.x;  // column of this thread's pixel
    const int y = blockIdx.y * BLOCK + threadIdx.y;  // its row
    if (x >= width || y >= height) {
        return;
    }

    for (int f = 0; f < FILTERS; ++f) {
        float sum = 0.0f;
        for (int c = 0; c < channels; ++c) {
            const float* filter = weights + (f * channels + c) * SIDE * SIDE;
            for (int j = 0; j < SIDE; ++j) {
                for (int i = 0; i < SIDE; ++i) {
                    const int row = y + j - RADIUS;
                    const int col = x + i - RADIUS;
                    if (row >= 0 && row < height && col >= 0 && col < width) {
                        sum += filter[j * SIDE + i] * in[(c * height + row) * width + col];
                    }
                }
            }
        }
        out[(f * height + y) * width + x] = sum;
    }
}
