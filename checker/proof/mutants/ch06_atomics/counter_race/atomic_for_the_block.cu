// expect: global-race
// Atomic for the threads of one block only.

extern "C" __global__ void counter_race(const float* in, int* hits, int n, float limit) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;

    if (idx < n && in[idx] > limit) {
        atomicAdd_block(hits, 1);
    }
}
