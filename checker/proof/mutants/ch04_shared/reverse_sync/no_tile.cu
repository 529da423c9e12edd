// expect: gate-missed
// The answer is right, and no thread has met another.

constexpr int MOST = 256;  // threads of the largest block

extern "C" __global__ void reverse_sync(const float* in, float* out) {
    const int tid = threadIdx.x;                    // place in the block, 0 .. blockDim.x-1
    const int idx = blockIdx.x * blockDim.x + tid;  // place in the array, 0 .. n-1

    out[idx] = in[blockIdx.x * blockDim.x + blockDim.x - 1 - tid];
}
