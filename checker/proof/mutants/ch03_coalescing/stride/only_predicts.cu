// expect: uncoalesced
// The predictions are right, the order of the elements is as it was.

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

    const int in_a_row = (n + s - 1) / s;             // elements before the order starts again
    const int i = me % in_a_row * s + me / in_a_row;  // which element is mine
    if (me < in_a_row * s && i < n) {
        out[i] = in[i] * in[i];
    }
}
