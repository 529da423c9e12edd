// expect: wrong-values
// One element per block: the thread was left out.

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int idx = blockIdx.x;

    if (idx < n) {
        out[idx] = a[idx] + b[idx];
    }
}
