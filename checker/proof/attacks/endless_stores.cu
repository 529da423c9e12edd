// attack: never ends, in a loop that writes to memory all the time
// exercise: blocks
// expect: never-finishes
// gpu: yes
// stopped-by: the simulator's budget of instructions, and the clock

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    volatile float* o = out;
    for (unsigned x = 0; i == 0; ++x) {
        o[i] = static_cast<float>(x);
    }
}
