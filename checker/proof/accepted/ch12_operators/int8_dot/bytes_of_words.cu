// Loads four bytes as a char4 and writes their products out. The compiler recognises the sum, and
// makes the instruction of `__dp4a` of it.

extern "C" __global__ void int8_dot(const signed char* w, const signed char* x, signed char* y,
                                    int rows, int cols, int shift) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (row >= rows) {
        return;
    }
    const char4* left = reinterpret_cast<const char4*>(w + row * cols);
    const char4* right = reinterpret_cast<const char4*>(x);
    int sums[4] = {};
    for (int i = lane; i < cols / 4; i += 32) {
        const char4 a = left[i];
        for (int v = 0; v < 4; ++v) {
            const char4 b = right[v * (cols / 4) + i];
            sums[v] += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
        }
    }
    for (int v = 0; v < 4; ++v) {
        for (int mask = 16; mask > 0; mask /= 2) {
            sums[v] += __shfl_xor_sync(0xffffffffu, sums[v], mask);
        }
        if (lane == v) {
            y[v * rows + row] = max(-128, min(127, (sums[v] + (1 << (shift - 1))) >> shift));
        }
    }
}
