// expect: wrong-values
// Reads neighbours and writes with the stride.

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

    if (me < 6) {
        predicted[me] = PREDICTED[me];
    }

    const int in_a_row = (n + s - 1) / s;
    const int i = me % in_a_row * s + me / in_a_row;
    if (me < n && i < n) {
        out[i] = in[me] * in[me];
    }
}
