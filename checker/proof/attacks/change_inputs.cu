// attack: makes the inputs fit the output, for a grader that compares with what it finds on the device
// exercise: blocks
// expect: input-changed
// gpu: yes
// stopped-by: inputs are compared after the run, and the reference takes its own

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const_cast<float*>(a)[i] = 0;
        const_cast<float*>(b)[i] = 0;
        out[i] = 0;
    }
}
