// expect: wrong-values
// Skips as many elements as there are rows, not as many as a row is long.

extern "C" __global__ void double_it(const float* a, float* out, int cols) {
    const int idx = threadIdx.y * blockDim.y + threadIdx.x;

    out[idx] = 2.0f * a[idx];
}
