// fft_shared | chapter 10 | "Butterflies"
//
// Goal    The discrete Fourier transform of each signal,
//             out[k] = sum over j of in[j] * e^(-2 pi i j k / n),
//         computed as a fast transform in shared memory: `stages` rounds of butterflies, with one
//         barrier for each round and one more. Load each point once.
//
// in_re, in_im    [signals][n]  f32, real and imaginary parts, read only
// out_re, out_im  [signals][n]  f32, every element must be written
// stages  count   n = 2^stages points, 1 <= stages <= 10
// launch  a block of n / 2 threads for each signal: a thread for each butterfly of a round
//
// Run     cargo checker check fft_shared       Stuck?  cargo checker hint fft_shared

constexpr int MOST = 1024;  // the largest number of points of a signal

extern "C" __global__ void fft_shared(const float* __restrict__ in_re,
                                      const float* __restrict__ in_im, float* __restrict__ out_re,
                                      float* __restrict__ out_im, int stages) {
    __shared__ float re[MOST];
    __shared__ float im[MOST];

    const int n = 1 << stages;
    const int tid = threadIdx.x;                  // 0 .. n/2-1
    const size_t begin = size_t(blockIdx.x) * n;  // where my block's signal begins

    // TODO 1: store points tid and tid + n/2 in re and im, each at the index that is its own index
    //         with the bits in reverse. (__brev reverses all 32 bits of an unsigned int.)

    // TODO 2: which threads have written what the first butterfly reads?

    for (int half = 1; half < n; half *= 2) {
        // TODO 3: a group has 2 * half points, and `half` butterflies work on it. Which two points,
        //         half apart, belong to butterfly tid, and what is its number k in its group?

        // TODO 4: compute the twiddle e^(-i pi k / half). (sincospif(x, &s, &c) gives both.)

        // TODO 5: replace a and b with a + twiddle * b and a - twiddle * b.

        // TODO 6: which threads read them next?
    }

    // TODO 7: the results are in order now. Store points tid and tid + n/2.
}
