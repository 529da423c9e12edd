#include <cuda/std/complex>
constexpr int MOST = 1024;  // points of a signal, at most
using C = cuda::std::complex<float>;

extern "C" __global__ void fft_shared(const float* __restrict__ in_re,
                                      const float* __restrict__ in_im, float* __restrict__ out_re,
                                      float* __restrict__ out_im, int stages) {
    __shared__ float real[2][MOST], imag[2][MOST];
    const int n = 1 << stages;
    const int tid = threadIdx.x;                  // 0 .. n/2-1
    const size_t begin = size_t(blockIdx.x) * n;  // where my block's signal begins
    // Stockham: sorts itself, so that no bits need be reversed
    real[0][tid] = in_re[begin + tid]; real[0][tid + n / 2] = in_re[begin + n / 2 + tid];
    imag[0][tid] = in_im[begin + tid]; imag[0][tid + n / 2] = in_im[begin + n / 2 + tid];
    int now = 0;
    for (int s = 1, m = n / 2; m >= 1; s *= 2, m /= 2) {
        __syncthreads();
        int p = tid / s, q = tid % s;
        float sn, cs;
        sincospif(-1.0f * p / m, &sn, &cs);
        C w(cs, sn);
        C a(real[now][q + s * p], imag[now][q + s * p]);
        C b(real[now][q + s * (p + m)], imag[now][q + s * (p + m)]);
        C sum = a + b;
        C difference = (a - b) * w;
        real[1 - now][q + s * 2 * p] = sum.real();
        imag[1 - now][q + s * 2 * p] = sum.imag();
        real[1 - now][q + s * (2 * p + 1)] = difference.real();
        imag[1 - now][q + s * (2 * p + 1)] = difference.imag();
        now = 1 - now;
    }
    __syncthreads();
    for (int i : {tid, tid + n / 2}) {
        out_re[begin + i] = real[now][i];
        out_im[begin + i] = imag[now][i];
    }
}
