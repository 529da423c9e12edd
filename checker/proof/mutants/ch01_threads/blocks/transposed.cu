// expect: wrong-values
// Thread and block the wrong way round.

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int idx = threadIdx.x * blockDim.x + blockIdx.x;

    if (idx < n) {
        out[idx] = a[idx] + b[idx];
    }
}
