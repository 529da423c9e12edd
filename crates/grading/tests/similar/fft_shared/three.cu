constexpr int MOST = 1024;  // points of a signal, at most

// Moves one point into its bit-reversed slot.
__device__ void scatter(float* re, float* im, const float* from_re, const float* from_im, unsigned index, int bits)
{
    unsigned slot = 0;
    for (int b = 0; b < bits; b++)
    {
        slot = (slot << 1) | ((index >> b) & 1u);
    }
    re[slot] = from_re[index];
    im[slot] = from_im[index];
}

__device__ void butterfly(float& ar, float& ai, float& br, float& bi, float wr, float wi)
{
    float tr = wr * br - wi * bi;
    float ti = wr * bi + wi * br;
    br = ar - tr;
    bi = ai - ti;
    ar = ar + tr;
    ai = ai + ti;
}

extern "C" __global__ void fft_shared(const float* __restrict__ in_re,
                                      const float* __restrict__ in_im, float* __restrict__ out_re,
                                      float* __restrict__ out_im, int stages)
{
    __shared__ float re[MOST];
    __shared__ float im[MOST];
    const int n = 1 << stages;
    const int tid = threadIdx.x;
    const size_t begin = size_t(blockIdx.x) * n;

    scatter(re, im, in_re + begin, in_im + begin, tid, stages);
    scatter(re, im, in_re + begin, in_im + begin, tid + n / 2, stages);
    __syncthreads();

    for (int half = 1; half < n; half *= 2)
    {
        int offset = tid & (half - 1);
        int low = ((tid - offset) << 1) + offset;
        float wi;
        float wr;
        sincospif((float)offset / half, &wi, &wr);
        butterfly(re[low], im[low], re[low + half], im[low + half], wr, -wi);
        __syncthreads();
    }

    float* dst_re = out_re + begin;
    float* dst_im = out_im + begin;
    dst_re[tid] = re[tid];
    dst_re[tid + n / 2] = re[tid + n / 2];
    dst_im[tid] = im[tid];
    dst_im[tid + n / 2] = im[tid + n / 2];
}
