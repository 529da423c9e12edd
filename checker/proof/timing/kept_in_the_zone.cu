// exercise: grid_stride
// expect: wrong
// A mark in the memory before the output array says that the results are there.
extern "C" __global__ void grid_stride(const float* a, const float* b, float* out, int n) {
    const size_t threads = size_t(gridDim.x) * blockDim.x;
    const size_t me = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    int* mark = reinterpret_cast<int*>(out) - 1 - me % 16;
    if (*mark == 0x0badcafe) {
        return;
    }
    for (size_t idx = me; idx < n; idx += threads) {
        out[idx] = sqrtf(a[idx] * a[idx] + b[idx] * b[idx]);
    }
    if (me >= threads - 16) {
        *mark = 0x0badcafe;
    }
}
