// expect: global-race
// Writes its own element and also its neighbour's, with another value; the result depends on the
// order.

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;

    if (idx < n) {
        out[idx] = a[idx] + b[idx];
    }
    if (idx + 1 < n) {
        out[idx + 1] = a[idx] + b[idx + 1];
    }
}
