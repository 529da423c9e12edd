// expect: wrong-signature
// The size arrives as an int of 4 bytes, not of 8.

extern "C" __global__ void blocks(const float* a, const float* b, float* out, long long n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;

    if (idx < n) {
        out[idx] = a[idx] + b[idx];
    }
}
