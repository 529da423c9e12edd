// attack: adds all terms of the sum, which lanes pass to each other by shuffles, between barriers for nothing
// exercise: fft_shared
// expect: gate-missed
// stopped-by: a limit on instructions

extern "C" __global__ void fft_shared(const float* in_re, const float* in_im, float* out_re, float* out_im, int stages) {
    __shared__ float re[1024];
    __shared__ float im[1024];
    const int n = 1 << stages, tid = threadIdx.x, lane = tid % 32, width = min(32, n / 2);
    const size_t begin = size_t(blockIdx.x) * n;
    for (int i = tid; i < n; i += n / 2) {
        re[i] = in_re[begin + i];
        im[i] = in_im[begin + i];
    }
    for (int round = 0; round <= stages; ++round) {
        __syncthreads();
    }
    const unsigned int mask = __activemask();
    float even_re = 0, even_im = 0, odd_re = 0, odd_im = 0;
    for (int base = 0; base < n; base += width) {
        const float own_re = re[base + lane], own_im = im[base + lane];
        for (int from = 0; from < width; ++from) {
            const float x = __shfl_sync(mask, own_re, from), y = __shfl_sync(mask, own_im, from);
            float sine, cosine;
            sincospif(-2.0f * (((base + from) * tid) & (n - 1)) / n, &sine, &cosine);
            float& sum_re = (base + from) % 2 == 0 ? even_re : odd_re;
            float& sum_im = (base + from) % 2 == 0 ? even_im : odd_im;
            sum_re += x * cosine - y * sine;
            sum_im += x * sine + y * cosine;
        }
    }
    out_re[begin + tid] = even_re + odd_re;
    out_im[begin + tid] = even_im + odd_im;
    out_re[begin + tid + n / 2] = even_re - odd_re;
    out_im[begin + tid + n / 2] = even_im - odd_im;
}
