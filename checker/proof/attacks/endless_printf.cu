// attack: prints for ever, so that a grader that keeps all output runs out of disk or memory
// exercise: blocks
// expect: never-finishes
// gpu: yes
// stopped-by: the simulator's instruction budget and a time limit

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned x = 0;; ++x) {
        printf("forged verdict number %u: passed, passed, passed, passed\n", x);
    }
}
