// expect: gate-missed
// Two floats in each load: half of the requests, not a quarter.

extern "C" __global__ void float4_align(float a, const float* x, const float* y, float* out,
                                        int offset, int n) {
    const int threads = gridDim.x * blockDim.x;
    const int me = blockIdx.x * blockDim.x + threadIdx.x;
    const float* view = x + offset;

    const int twos = offset % 2 == 0 ? n / 2 : 0;
    for (int k = me; k < twos; k += threads) {
        const float2 u = reinterpret_cast<const float2*>(view)[k];
        const float2 v = reinterpret_cast<const float2*>(y)[k];
        reinterpret_cast<float2*>(out)[k] = make_float2(a * u.x + v.x, a * u.y + v.y);
    }
    for (int i = 2 * twos + me; i < n; i += threads) {
        out[i] = a * view[i] + y[i];
    }
}
