// expect: gate-missed
// Uses no shared memory, so it has no conflicts, but its accesses to global memory are strided.

constexpr int SIDE = 32;
constexpr int ROWS = 8;

extern "C" __global__ void bank_conflicts(const float* in, float* out, int rows, int cols) {
    const int col = blockIdx.x * SIDE + threadIdx.x;
    for (int y = threadIdx.y; y < SIDE; y += ROWS) {
        const int row = blockIdx.y * SIDE + y;
        if (row < rows && col < cols) {
            out[col * rows + row] = in[row * cols + col];
        }
    }
}
