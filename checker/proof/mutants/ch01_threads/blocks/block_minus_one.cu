// expect: wrong-values
// One element short per block: neighbouring blocks overlap by one.

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int idx = blockIdx.x * (blockDim.x - 1) + threadIdx.x;

    if (idx < n) {
        out[idx] = a[idx] + b[idx];
    }
}
