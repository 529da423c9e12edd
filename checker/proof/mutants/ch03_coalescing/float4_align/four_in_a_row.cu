// expect: gate-missed
// Each thread loads four neighbouring floats one after the other, so there are as many requests,
// and each is strided.

extern "C" __global__ void float4_align(float a, const float* x, const float* y, float* out,
                                        int offset, int n) {
    const int threads = gridDim.x * blockDim.x;
    const int me = blockIdx.x * blockDim.x + threadIdx.x;
    const float* view = x + offset;

    for (int first = 4 * me; first < n; first += 4 * threads) {
        for (int i = first; i < first + 4 && i < n; i++) {
            out[i] = a * view[i] + y[i];
        }
    }
}
