// atomicAdd loads, adds and stores in one step that no other thread can interrupt. The kernel takes
// one load for each element and one atomic addition for each hit. The result is right, but the
// kernel is slow, because all additions use the same address, so they wait for each other.

extern "C" __global__ void counter_race(const float* in, int* hits, int n, float limit) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;  // 0 .. grid*block-1

    if (idx < n && in[idx] > limit) {
        atomicAdd(hits, 1);
    }
}
