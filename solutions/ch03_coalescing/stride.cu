// With a stride of s floats, the 32 floats of a request are spread over 128 * s bytes and so over 4
// * s sectors, until each float has a sector of its own at s = 8. From there on the count stays at
// 32 sectors, one for each of the 32 lanes. Only the number of bytes counts, so s = 3 lies between
// 2 and 4 although it isn't a power of two, and the store takes 4 sectors per request, whatever s
// is.

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

    if (me < n) {
        out[me] = in[me] * in[me];
    }
}
