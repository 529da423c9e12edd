// attack: includes itself without an end
// exercise: blocks
// expect: compile-error
// stopped-by: the compiler's own limits

#include __FILE__
extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = a[i] + b[i];
    }
}
