constexpr int MOST = 1024;  // points of a signal, at most

extern "C" __global__ void fft_shared(const float* __restrict__ in_re,
                                      const float* __restrict__ in_im, float* __restrict__ out_re,
                                      float* __restrict__ out_im, int stages) {
    __shared__ float2 point[MOST];

    const int n = 1 << stages;
    const int tid = threadIdx.x;                  // 0 .. n/2-1
    const size_t begin = size_t(blockIdx.x) * n;  // where my block's signal begins

    const int shift = 32 - stages;
    const size_t a = begin + tid, b = a + n / 2;
    point[__brev(tid) >> shift] = make_float2(in_re[a], in_im[a]);
    point[(__brev(tid) >> shift) | 1] = make_float2(in_re[b], in_im[b]);

    __syncthreads();

    for (int half = 1; half < n; half *= 2) {
        const int k = tid % half;
        float2* pair = point + (tid / half) * (half + half) + k;
        float2 twiddle;
        sincospif(-1.0f * k / half, &twiddle.y, &twiddle.x);
        const float2 u = pair[0];
        const float2 v = pair[half];
        const float2 t = make_float2(fmaf(v.x, twiddle.x, -v.y * twiddle.y),
                                     fmaf(v.x, twiddle.y, v.y * twiddle.x));
        pair[0] = make_float2(u.x + t.x, u.y + t.y);
        pair[half] = make_float2(u.x - t.x, u.y - t.y);
        __syncthreads();
    }

    out_re[a] = point[tid].x;
    out_im[a] = point[tid].y;
    out_re[b] = point[tid + n / 2].x;
    out_im[b] = point[tid + n / 2].y;
}
