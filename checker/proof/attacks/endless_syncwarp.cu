// attack: never ends, in a loop that keeps synchronising the warp
// exercise: blocks
// expect: never-finishes
// gpu: yes
// stopped-by: the simulator's instruction budget and a time limit

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    volatile int x = 0;
    while (x == 0 && i < 32) {
        __syncwarp();
    }
    out[i] = a[i] + b[i];
}
