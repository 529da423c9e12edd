// attack: one block counts all elements, so there are few atomic operations on global memory
// exercise: histogram
// expect: gate-missed
// stopped-by: gates: the warp with the most instructions

extern "C" __global__ void histogram(const float* in, unsigned* bins, int n) {
    __shared__ unsigned counts[256];
    if (blockIdx.x > 0) return;
    for (int b = threadIdx.x; b < 256; b += blockDim.x) counts[b] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        const float v = in[i];
        if (v >= 0.0f && v < 1.0f) atomicAdd(&counts[int(v * 256)], 1u);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&bins[b], counts[b]);
}
