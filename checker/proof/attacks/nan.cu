// attack: writes NaN, to fool a comparison that only asks whether the difference is too large
// exercise: blocks
// expect: not-a-number
// gpu: yes
// stopped-by: NaN is never accepted as a right value

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = __int_as_float(0x7fffffff);
    }
}
