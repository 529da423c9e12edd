// attack: a kernel that never ends occupies a GPU for the rest of the class
// exercise: blocks
// expect: never-finishes
// gpu: yes
// stopped-by: the simulator's instruction budget and a time limit

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = i;
    while (x != n + 1u) {
        asm volatile("" : "+r"(x));
    }
    out[i] = x;
}
