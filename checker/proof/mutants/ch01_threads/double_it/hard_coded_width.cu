// expect: out-of-bounds-write
// Right for the first case only: its rows are five elements long.

extern "C" __global__ void double_it(const float* a, float* out, int cols) {
    const int idx = threadIdx.y * 5 + threadIdx.x;

    out[idx] = 2.0f * a[idx];
}
