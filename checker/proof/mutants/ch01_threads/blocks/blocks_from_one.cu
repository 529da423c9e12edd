// expect: wrong-values
// Counts blocks from 1: the first block of elements is left out.

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int idx = (blockIdx.x + 1) * blockDim.x + threadIdx.x;

    if (idx < n) {
        out[idx] = a[idx] + b[idx];
    }
}
