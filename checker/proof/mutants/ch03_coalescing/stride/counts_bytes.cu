// expect: wrong-answer
// Bytes instead of sectors.

__device__ const int PREDICTED[6] = {
    128,   // s = 1
    256,   // s = 2
    384,   // s = 3
    512,   // s = 4
    1024,  // s = 8
    1024,  // s = 16
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
