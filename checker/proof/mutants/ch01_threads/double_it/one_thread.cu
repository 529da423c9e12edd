// expect: gate-missed
// One thread does everything while the others return; the result is right.

extern "C" __global__ void double_it(const float* a, float* out, int cols) {
    if (threadIdx.x != 0 || threadIdx.y != 0) {
        return;
    }
    for (int idx = 0; idx < int(blockDim.y) * cols; idx++) {
        out[idx] = 2.0f * a[idx];
    }
}
