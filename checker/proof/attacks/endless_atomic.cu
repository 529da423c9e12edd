// attack: never ends, in a loop of atomics that always makes progress
// exercise: blocks
// expect: never-finishes
// gpu: yes
// stopped-by: the simulator's instruction budget and a time limit

__device__ unsigned turns;

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    while (atomicAdd(&turns, 1u) != 0xffffffffu) {
    }
    out[i] = a[i] + b[i];
}
