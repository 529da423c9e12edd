// attack: never ends, in a loop that keeps writing to memory
// exercise: blocks
// expect: never-finishes
// gpu: yes
// stopped-by: the simulator's instruction budget and a time limit

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    volatile float* o = out;
    for (unsigned x = 0; i == 0; ++x) {
        o[i] = static_cast<float>(x);
    }
}
