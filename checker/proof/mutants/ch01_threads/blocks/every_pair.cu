// expect: written-twice
// Each thread does two neighbours, so that every element is done twice.

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;

    for (int i = idx; i < idx + 2 && i < n; i++) {
        out[i] = a[i] + b[i];
    }
}
