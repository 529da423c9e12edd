// A lane loads words of four bytes from both arrays, and `__dp4a` multiplies the four pairs of
// bytes of two words and adds the products to the sum.

constexpr int VECTORS = 4;  // vectors in x, with cols elements each

extern "C" __global__ void int8_dot(const signed char* w, const signed char* x, signed char* y,
                                    int rows, int cols, int shift) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (row >= rows) {
        return;
    }

    int sums[VECTORS] = {};
    const int* w_words = reinterpret_cast<const int*>(w + row * cols);
    const int* x_words = reinterpret_cast<const int*>(x);
    const int words = cols / 4;  // words in a row of w or x
    for (int i = lane; i < words; i += 32) {
        const int weights = w_words[i];
        for (int v = 0; v < VECTORS; ++v) {
            sums[v] = __dp4a(weights, x_words[v * words + i], sums[v]);
        }
    }

    for (int v = 0; v < VECTORS; ++v) {
        int sum = sums[v];
        for (int offset = 16; offset > 0; offset /= 2) {
            sum += __shfl_down_sync(0xffffffffu, sum, offset);
        }
        if (lane == 0) {
            const int scaled = (sum + (1 << (shift - 1))) >> shift;
            y[v * rows + row] = min(max(scaled, -128), 127);
        }
    }
}
