// attack: prints from every thread, so that an unlimited capture grows without bound
// exercise: blocks
// expect: gate-missed
// expect-gpu: gate-missed or never-finishes
// gpu: yes
// stopped-by: printed text is cut

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        for (int k = 0; k < 20; ++k) {
            printf("thread %d of blocks says for the %d. time that everything is right\n", i, k);
        }
        out[i] = a[i] + b[i];
    }
}
