// attack: includes what the kernel knows about the compiling process, in the text of a message
// exercise: blocks
// expect: compile-error
// prints-not: CUDA_WORKBOOK_SANDBOX
// stopped-by: files: the compiler may open nothing below /proc, which no part of it needs

#define TEXT(...) #__VA_ARGS__
#define EXPANDED(...) TEXT(__VA_ARGS__)
static_assert(false, EXPANDED(
#include "/proc/self/environ"
));
extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = a[i] + b[i];
    }
}
