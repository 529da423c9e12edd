// expect: global-race
// Has barriers before and after, but all threads still add at the same time.

extern "C" __global__ void counter_race(const float* in, int* hits, int n, float limit) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;

    __syncthreads();
    if (idx < n && in[idx] > limit) {
        hits[0] += 1;
    }
    __syncthreads();
}
