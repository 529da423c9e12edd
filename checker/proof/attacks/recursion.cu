// attack: recurses without an end, through the device's stack
// exercise: blocks
// expect: stack-overflow
// stopped-by: the simulator reports it; on a GPU the process is replaced

__device__ __noinline__ float deeper(float x, int n) {
    volatile float room[64];
    room[n & 63] = x;
    return n == -1 ? x : deeper(x + room[0], n + 1) + room[63];
}

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = deeper(a[i], i) + b[i];
    }
}
