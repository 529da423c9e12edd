// expect: gate-missed
// A loop over the strides, in one warp: no request wastes a sector, and each brings one float.

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

    if (me % 32 == 0) {
        for (int i = me; i < me + 32 && i < n; i++) {
            out[i] = in[i] * in[i];
        }
    }
}
