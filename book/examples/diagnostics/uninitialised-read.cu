extern "C" __global__ void guard(const float* a, float* out, int n) {
    __shared__ float tile[1024];
    if (threadIdx.x < n) {
        out[threadIdx.x] = tile[threadIdx.x];
    }
}
