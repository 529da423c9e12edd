// expect: gate-missed
// Uses no tile; the result is right, but every element is loaded nine times.

constexpr int SIDE = 16;         // of a block
constexpr int FRAME = SIDE + 2;  // of its tile: one element more on every side

extern "C" __global__ void oob_uninit_hunt(const float* in, float* out, int rows, int cols) {
    const int row = blockIdx.y * SIDE + threadIdx.y;  // 0 .. at least rows-1
    const int col = blockIdx.x * SIDE + threadIdx.x;  // 0 .. at least cols-1

    if (row < rows && col < cols) {
        float sum = 0.0f;
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 3; c++) {
                const int y = row + r - 1;
                const int x = col + c - 1;
                if (y >= 0 && y < rows && x >= 0 && x < cols) {
                    sum += in[y * cols + x];
                }
            }
        }
        out[row * cols + col] = sum / 9.0f;
    }
}
