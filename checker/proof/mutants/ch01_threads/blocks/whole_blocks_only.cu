// expect: output-not-written
// Leaves the last block alone when it is not full.

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;

    if ((blockIdx.x + 1) * blockDim.x <= n) {
        out[idx] = a[idx] + b[idx];
    }
}
