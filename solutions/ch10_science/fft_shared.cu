// A transform of n points consists of a transform of the n/2 even points, a transform of the n/2
// odd points, and n/2 butterflies that combine the results. So the kernel
// first puts the points into bit-reversed order, and then executes log2(n) stages of n/2 butterflies.
// That takes n/2 * log2(n) multiplications instead of n^2, and one load and one store for each point.
// A butterfly reads and writes the same two points, and no other butterfly of the stage uses them, so
// one barrier before the first stage and one barrier in each stage are enough.

constexpr int MOST = 1024;  // points of the longest signal

extern "C" __global__ void fft_shared(const float* __restrict__ in_re,
                                      const float* __restrict__ in_im, float* __restrict__ out_re,
                                      float* __restrict__ out_im, int stages) {
    __shared__ float re[MOST];
    __shared__ float im[MOST];

    const int n = 1 << stages;
    const int tid = threadIdx.x;                  // 0 .. n/2-1
    const size_t begin = size_t(blockIdx.x) * n;  // index of my signal's first point

    for (int i = tid; i < n; i += n / 2) {
        const int place = __brev(i) >> (32 - stages);
        re[place] = in_re[begin + i];
        im[place] = in_im[begin + i];
    }

    __syncthreads();  // every point is stored before a butterfly reads it

    for (int half = 1; half < n; half *= 2) {
        const int k = tid % half;         // number in the group, 0 .. half-1
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

        __syncthreads();  // the stage is complete before the next stage reads its points
    }

    for (int i = tid; i < n; i += n / 2) {
        out_re[begin + i] = re[i];
        out_im[begin + i] = im[i];
    }
}
