// expect: out-of-bounds-read
// Takes its neighbour's b: a wrong sum everywhere, and no neighbour for the last one.

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;

    if (idx < n) {
        out[idx] = a[idx] + b[idx + 1];
    }
}
