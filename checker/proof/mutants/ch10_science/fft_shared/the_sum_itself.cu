// expect: gate-missed
// Computes the sum directly, which is right but needs n^2 products.

extern "C" __global__ void fft_shared(const float* __restrict__ in_re,
                                      const float* __restrict__ in_im, float* __restrict__ out_re,
                                      float* __restrict__ out_im, int stages) {
    const int n = 1 << stages;
    const int tid = threadIdx.x;                  // 0 .. n/2-1
    const size_t begin = size_t(blockIdx.x) * n;  // where my block's signal begins

    for (int k = tid; k < n; k += n / 2) {
        float sum_re = 0.0f;
        float sum_im = 0.0f;
        for (int j = 0; j < n; j++) {
            float sine, cosine;
            sincospif(-2.0f * (j * k % n) / n, &sine, &cosine);
            sum_re += in_re[begin + j] * cosine - in_im[begin + j] * sine;
            sum_im += in_re[begin + j] * sine + in_im[begin + j] * cosine;
        }
        out_re[begin + k] = sum_re;
        out_im[begin + k] = sum_im;
    }
}
