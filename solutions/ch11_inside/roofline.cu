// The kernel moves 8 bytes for each element, and does 3 operations. The GPU could do 160 operations
// in that time, so the bytes decide how long the kernel takes.

// A GPU reads or writes 3000 GB in a second. With fused multiply-adds, it does 60 000 billion
// operations (additions and multiplications) on floats in a second.
__device__ const int PREDICTED[6] = {
    24,  // three loads and three stores of 4 bytes
    3,   // a multiplication, a subtraction, a multiplication
    8,   // one load and one store
    3,   // the same operations
    20,  // 60 000 / 3000
    80,  // 8 bytes * 20 operations / 2
};

extern "C" __global__ void roofline(const float* in, float* out, int* predicted, int n) {
    const int me = blockIdx.x * blockDim.x + threadIdx.x;
    const int threads = gridDim.x * blockDim.x;
    if (me < 6) {
        predicted[me] = PREDICTED[me];
    }

    for (int i = me; i < n; i += threads) {
        const float v = 3.0f * in[i] - 1.0f;
        out[i] = v * v;
    }
}
