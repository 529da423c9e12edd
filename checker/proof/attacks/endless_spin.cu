// attack: every thread waits for a flag that no thread sets
// exercise: blocks
// expect: livelock
// gpu: yes
// expect-gpu: livelock
// stopped-by: the simulator detects that no thread can make progress

__device__ int flag;

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    volatile int* f = &flag;
    while (*f == 0) {
    }
    out[i] = a[i] + b[i];
}
