// expect: wrong-answer
// Counts lines of 128 bytes for sectors.

__device__ const int PREDICTED[6] = {
    1,   // s = 1
    2,   // s = 2
    3,   // s = 3
    4,   // s = 4
    8,   // s = 8
    16,  // s = 16
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
