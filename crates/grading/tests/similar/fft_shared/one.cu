constexpr int MOST = 1024;  // points of a signal, at most

extern "C" __global__ void fft_shared(const float* __restrict__ in_re,
                                      const float* __restrict__ in_im, float* __restrict__ out_re,
                                      float* __restrict__ out_im, int stages) {
    __shared__ float re[MOST];
    __shared__ float im[MOST];

    const int n = 1 << stages;
    const int tid = threadIdx.x;                  // 0 .. n/2-1
    const size_t begin = size_t(blockIdx.x) * n;  // where my block's signal begins

    const int p = __brev(tid) >> (32 - stages);
    const int q = __brev(tid + n / 2) >> (32 - stages);
    re[p] = in_re[begin + tid];
    im[p] = in_im[begin + tid];
    re[q] = in_re[begin + tid + n / 2];
    im[q] = in_im[begin + tid + n / 2];
    __syncthreads();

    for (int half = 1; half < n; half *= 2) {
        const int group = tid / half;
        const int k = tid % half;
        const int top = group * 2 * half + k;
        const int bottom = top + half;
        float s, c;
        sincospif(-(float)k / (float)half, &s, &c);
        const float br = re[bottom] * c - im[bottom] * s;
        const float bi = re[bottom] * s + im[bottom] * c;
        re[bottom] = re[top] - br;
        im[bottom] = im[top] - bi;
        re[top] += br;
        im[top] += bi;
        __syncthreads();
    }

    out_re[begin + tid] = re[tid];
    out_im[begin + tid] = im[tid];
    out_re[begin + tid + n / 2] = re[tid + n / 2];
    out_im[begin + tid + n / 2] = im[tid + n / 2];
}
