// expect: wrong-answer
// Does the second part only.

__device__ const int PREDICTED[6] = {
    0,  // s = 1
    0,  // s = 2
    0,  // s = 3
    0,  // s = 4
    0,  // s = 8
    0,  // s = 16
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
