// attack: writes NaN, for a comparison that asks whether the difference is too large
// exercise: blocks
// expect: not-a-number
// gpu: yes
// stopped-by: NaN is no number

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = __int_as_float(0x7fffffff);
    }
}
