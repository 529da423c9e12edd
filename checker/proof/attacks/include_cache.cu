// attack: includes a file from the checker's cache of compiled code
// exercise: blocks
// expect: compile-error
// stopped-by: files: the compiler may open only the system's programs and its own folder

#include "@CACHE@/modules/canary.txt"
extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = a[i] + b[i];
    }
}
