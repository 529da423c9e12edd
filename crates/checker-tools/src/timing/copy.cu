// The reference for the device's memory bandwidth: every thread copies 16 bytes, coalesced with its neighbours.
extern "C" __global__ void copy(const float4* __restrict__ in, float4* __restrict__ out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        out[idx] = in[idx];
    }
}
