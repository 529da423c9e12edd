// attack: writes nothing and hopes that the memory still contains the last student's results
// exercise: blocks
// expect: output-not-written
// gpu: yes
// stopped-by: outputs are poisoned before every launch

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 0) {
        out[i] = a[i] + b[i];
    }
}
