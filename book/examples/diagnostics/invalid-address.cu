extern "C" __global__ void guard(const float* a, float* out, int n) {
    const float* nowhere = (const float*)size_t(n);  // a number is not an address
    if (threadIdx.x < n) {
        out[threadIdx.x] = nowhere[threadIdx.x] + 10.0f;
    }
}
