// expect: output-not-written
// Has lost the lines that pass the predictions on.

__device__ const int PREDICTED[6] = {
    4,   // s = 1
    8,   // s = 2
    12,  // s = 3
    16,  // s = 4
    32,  // s = 8
    32,  // s = 16
};

extern "C" __global__ void stride(const float* in, float* out, int* predicted, int s, int n) {
    const int me = blockIdx.x * blockDim.x + threadIdx.x;  // 0 .. threads-1

    if (me < n) {
        out[me] = in[me] * in[me];
    }
}
