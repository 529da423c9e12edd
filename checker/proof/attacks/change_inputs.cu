// attack: changes the inputs so that they fit the output, to fool a grader that compares with the inputs left on the device
// exercise: blocks
// expect: input-changed
// gpu: yes
// stopped-by: inputs are compared after the run, and the reference uses its own copy

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const_cast<float*>(a)[i] = 0;
        const_cast<float*>(b)[i] = 0;
        out[i] = 0;
    }
}
