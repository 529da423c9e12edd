// The kernel processes as many elements as possible in groups of four, and the rest one by one. So
// n/2 loads of four floats replace 2n loads of one float. A warp's request now loads 512 bytes from
// 16 sectors, and the total number of bytes stays the same. The second loop begins where the groups
// of four end. If the view of x doesn't begin at a multiple of 16 bytes, there are no groups, so
// the second loop processes all elements.

extern "C" __global__ void float4_align(float a, const float* x, const float* y, float* out,
                                        int offset, int n) {
    const int threads = gridDim.x * blockDim.x;            // threads in the whole grid
    const int me = blockIdx.x * blockDim.x + threadIdx.x;  // 0 .. threads-1
    const float* view = x + offset;                        // [n]

    const bool aligned = offset % 4 == 0;   // x itself is aligned
    const int fours = aligned ? n / 4 : 0;  // number of float4 elements
    const float4* view4 = reinterpret_cast<const float4*>(view);
    const float4* y4 = reinterpret_cast<const float4*>(y);
    float4* out4 = reinterpret_cast<float4*>(out);

    for (int k = me; k < fours; k += threads) {
        const float4 u = view4[k];
        const float4 v = y4[k];
        out4[k] = make_float4(a * u.x + v.x, a * u.y + v.y, a * u.z + v.z, a * u.w + v.w);
    }
    for (int i = 4 * fours + me; i < n; i += threads) {
        out[i] = a * view[i] + y[i];
    }
}
