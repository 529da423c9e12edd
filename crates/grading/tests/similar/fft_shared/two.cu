constexpr int MOST = 1024;

struct Complex {
    float r, i;
};
__device__ Complex operator+(Complex a, Complex b) { return {a.r + b.r, a.i + b.i}; }
__device__ Complex operator-(Complex a, Complex b) { return {a.r - b.r, a.i - b.i}; }
__device__ Complex operator*(Complex a, Complex b) {
    return {a.r * b.r - a.i * b.i, a.r * b.i + a.i * b.r};
}

extern "C" __global__ void fft_shared(const float* __restrict__ in_re,
                                      const float* __restrict__ in_im, float* __restrict__ out_re,
                                      float* __restrict__ out_im, int stages) {
    __shared__ Complex z[MOST];
    const int n = 1 << stages;
    const int tid = threadIdx.x;
    const size_t begin = size_t(blockIdx.x) * n;

    for (int half_signal = 0; half_signal < 2; ++half_signal) {
        unsigned int j = tid + half_signal * blockDim.x;
        z[__brev(j) >> (32 - stages)] = Complex{in_re[begin + j], in_im[begin + j]};
    }
    for (int s = 0; s < stages; ++s) {
        __syncthreads();
        int m = 1 << s;
        int k = tid & (m - 1);
        int lower = ((tid >> s) << (s + 1)) | k;
        Complex w;
        sincospif(-float(k) / m, &w.i, &w.r);
        Complex even = z[lower];
        Complex odd = w * z[lower + m];
        z[lower] = even + odd;
        z[lower + m] = even - odd;
    }
    __syncthreads();
    for (int half_signal = 0; half_signal < 2; ++half_signal) {
        unsigned int j = tid + half_signal * blockDim.x;
        out_re[begin + j] = z[j].r;
        out_im[begin + j] = z[j].i;
    }
}
