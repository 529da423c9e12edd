// Idea    a transform of n points is two of n/2, of the even and the odd points, put together by
//         n/2 butterflies. Unrolled down to single points, that is log2 n rounds over shared
//         memory, after the points are sorted by their bits in reverse.
// Work    n/2 butterflies in each round; log2 n + 1 barriers; each point is loaded once and stored
//         once. The sum in the header costs n^2 multiplications, this one n/2 log2 n.
// Notice  a butterfly reads and writes the same two points, and no two butterflies of a round share
//         one: so one barrier a round is enough.

constexpr int MOST = 1024;  // the largest number of points of a signal

extern "C" __global__ void fft_shared(const float* __restrict__ in_re,
                                      const float* __restrict__ in_im, float* __restrict__ out_re,
                                      float* __restrict__ out_im, int stages) {
    __shared__ float re[MOST];
    __shared__ float im[MOST];

    const int n = 1 << stages;
    const int tid = threadIdx.x;                  // 0 .. n/2-1
    const size_t begin = size_t(blockIdx.x) * n;  // where my block's signal begins

    for (int i = tid; i < n; i += n / 2) {
        const int place = __brev(i) >> (32 - stages);
        re[place] = in_re[begin + i];
        im[place] = in_im[begin + i];
    }

    __syncthreads();  // every point is stored before a butterfly reads it

    for (int half = 1; half < n; half *= 2) {
        const int k = tid % half;         // in its group, 0 .. half-1
        const int a = 2 * (tid - k) + k;  // groups begin at multiples of 2 * half
        const int b = a + half;

        float sine, cosine;
        sincospif(-float(k) / half, &sine, &cosine);

        const float turned_re = re[b] * cosine - im[b] * sine;
        const float turned_im = re[b] * sine + im[b] * cosine;
        const float old_re = re[a];
        const float old_im = im[a];
        re[a] = old_re + turned_re;
        im[a] = old_im + turned_im;
        re[b] = old_re - turned_re;
        im[b] = old_im - turned_im;

        __syncthreads();  // the round is complete before the next one reads
    }

    for (int i = tid; i < n; i += n / 2) {
        out_re[begin + i] = re[i];
        out_im[begin + i] = im[i];
    }
}
