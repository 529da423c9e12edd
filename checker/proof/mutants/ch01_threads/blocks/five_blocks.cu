// expect: wrong-values
// Right for the five blocks of the first case, and leaves every further block idle.

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;

    if (blockIdx.x < 5 && idx < n) {
        out[idx] = a[idx] + b[idx];
    }
}
