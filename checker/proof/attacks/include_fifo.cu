// attack: includes a named pipe without a writer, so that opening it waits for ever
// exercise: blocks
// expect: compile-error
// stopped-by: files: the pipe is never opened, so nothing waits

#include "@CANARY@/fifo"
extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = a[i] + b[i];
    }
}
