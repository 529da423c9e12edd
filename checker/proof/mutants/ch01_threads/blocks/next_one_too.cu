// expect: global-race
// Writes its own element, and another value into its neighbour's place: who comes last wins.

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;

    if (idx < n) {
        out[idx] = a[idx] + b[idx];
    }
    if (idx + 1 < n) {
        out[idx + 1] = a[idx] + b[idx + 1];
    }
}
