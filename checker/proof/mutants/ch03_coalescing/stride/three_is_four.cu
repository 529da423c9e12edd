// expect: wrong-answer
// Rounds a stride up to the next power of two.

__device__ const int PREDICTED[6] = {
    4,   // s = 1
    8,   // s = 2
    16,  // s = 3
    16,  // s = 4
    32,  // s = 8
    32,  // s = 16
};

extern "C" __global__ void stride(const float* in, float* out, int* predicted, int s, int n) {
    const int me = blockIdx.x * blockDim.x + threadIdx.x;  // 0 .. threads-1

    if (me < 6) {
        predicted[me] = PREDICTED[me];
    }

    if (me < n) {
        out[me] = in[me] * in[me];
    }
}
