// expect: compile-error
// The members are lower case.

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int idx = blockIdx.X * blockDim.X + threadIdx.X;

    if (idx < n) {
        out[idx] = a[idx] + b[idx];
    }
}
