constexpr int MOST = 1024;  // points of a signal, at most

extern "C" __global__ void fft_shared(const float* __restrict__ in_re,
                                      const float* __restrict__ in_im, float* __restrict__ out_re,
                                      float* __restrict__ out_im, int stages) {
    __shared__ float re[MOST];
    __shared__ float im[MOST];

    const int n = 1 << stages;
    const int tid = threadIdx.x;                  // 0 .. n/2-1
    const size_t begin = size_t(blockIdx.x) * n;  // where my block's signal begins

    // TODO 1 done: both of my points
    int src = tid;
    while (src < n) {
        unsigned int dst = __brev((unsigned int)src);
        dst = dst >> (32 - stages);
        im[dst] = in_im[src + begin];
        re[dst] = in_re[src + begin];
        src = src + blockDim.x;
    }

    // TODO 2 done
    __syncthreads();

    int log_half = 0;
    for (int half = 1; half < n; half *= 2) {
        int number_in_group = tid - ((tid >> log_half) << log_half);
        int first = 2 * tid - number_in_group;
        int second = first | half;
        float angle = (float)number_in_group;
        angle /= half;
        float cosine = cospif(angle);
        float sine = -sinpif(angle);

        float x = re[second];
        float y = im[second];
        float product_real = x * cosine - y * sine;
        float product_imag = y * cosine + x * sine;
        x = re[first];
        y = im[first];
        re[first] = x + product_real;
        re[second] = x - product_real;
        im[first] = y + product_imag;
        im[second] = y - product_imag;
        log_half++;
        __syncthreads();
    }

    for (src = tid; src < n; src += blockDim.x) {
        out_re[src + begin] = re[src];
        out_im[src + begin] = im[src];
    }
}
