// A lane loads 16 bytes at a time, and a single instruction adds the sums of the lanes.

extern "C" __global__ void int8_dot(const signed char* w, const signed char* x, signed char* y,
                                    int rows, int cols, int shift) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (row >= rows) {
        return;
    }
    const int4* left = reinterpret_cast<const int4*>(w + (size_t)row * cols);
    const int4* right = reinterpret_cast<const int4*>(x);
    int4 sums = {};
    for (int i = threadIdx.x % 32; i < cols / 16; i += 32) {
        const int4 a = left[i];
        auto product = [&](int vector, int sum) {
            const int4 b = right[vector * (cols / 16) + i];
            return __dp4a(a.x, b.x, __dp4a(a.y, b.y, __dp4a(a.z, b.z, __dp4a(a.w, b.w, sum))));
        };
        sums = {product(0, sums.x), product(1, sums.y), product(2, sums.z), product(3, sums.w)};
    }
    const int all[] = {sums.x, sums.y, sums.z, sums.w};
    for (int v = 0; v < 4; ++v) {
        const int sum = __reduce_add_sync(0xffffffffu, all[v]);
        if (threadIdx.x % 32 == 0) {
            const int scaled = (sum + (1 << shift >> 1)) >> shift;
            y[v * rows + row] = scaled < -128 ? -128 : scaled > 127 ? 127 : scaled;
        }
    }
}
