// attack: includes the compiling process's environment, where graders keep their tokens
// exercise: blocks
// expect: compile-error
// stopped-by: the environment is empty, and no message quotes an included file

#include "/proc/self/environ"
extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = a[i] + b[i];
    }
}
