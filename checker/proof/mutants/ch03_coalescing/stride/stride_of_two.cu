// expect: uncoalesced
// From s to 2: better, and not good.

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

    const int half = (n + 1) / 2;
    const int i = me % half * 2 + me / half;
    if (me < 2 * half && i < n) {
        out[i] = in[i] * in[i];
    }
}
