extern "C" __global__ void guard(const float* a, float* out, int n) {
    __shared__ float tile[1024];
    const int idx = threadIdx.x;
    if (idx >= n) {
        return;
    }
    tile[idx] = a[idx];
    __syncthreads();
    out[idx] = tile[idx] + 10.0f;
}
