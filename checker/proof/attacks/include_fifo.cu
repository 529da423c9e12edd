// attack: includes a named pipe that nobody writes to: who opens it waits for ever
// exercise: blocks
// expect: compile-error
// stopped-by: files: it is not opened, so nobody waits

#include "@CANARY@/fifo"
extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = a[i] + b[i];
    }
}
