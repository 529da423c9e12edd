// fft_shared | chapter 10 | "Butterflies"
//
// Goal    The discrete Fourier transform of each signal,
//             out[k] = sum over j of in[j] * e^(-2 pi i j k / n),
//         as a fast one: in shared memory, `stages` rounds of butterflies, with a barrier for each
//         round and one more. Each point is loaded once.
//
// in_re, in_im    [signals][n]  f32, real and imaginary parts, read only
// out_re, out_im  [signals][n]  f32, every element must be written
// stages  count   n = 2^stages points, 1 <= stages <= 10
// launch  a block for each signal, n / 2 threads in it: a thread for each butterfly of a round
//
// Run     cargo checker check fft_shared       Stuck?  cargo checker hint fft_shared

constexpr int MOST = 1024;  // points of a signal, at most

extern "C" __global__ void fft_shared(const float* __restrict__ in_re,
                                      const float* __restrict__ in_im, float* __restrict__ out_re,
                                      float* __restrict__ out_im, int stages) {
    __shared__ float re[MOST];
    __shared__ float im[MOST];

    const int n = 1 << stages;
    const int tid = threadIdx.x;                  // 0 .. n/2-1
    const size_t begin = size_t(blockIdx.x) * n;  // where my block's signal begins

    // TODO 1: points tid and tid + n/2 go into re and im, each to the place whose number is its own
    //         with the bits in reverse. (__brev reverses all 32 bits of an unsigned int.)

    // TODO 2: who has written what the first butterfly reads?

    for (int half = 1; half < n; half *= 2) {
        // TODO 3: groups of 2 * half points, half butterflies in each. Which two points, half
        //         apart, are those of butterfly tid, and which number k does it have in its group?

        // TODO 4: the twiddle e^(-i pi k / half). (sincospif(x, &s, &c) gives sin and cos of pi x.)

        // TODO 5: a + twiddle * b and a - twiddle * b take the places of a and b.

        // TODO 6: who reads them next?
    }

    // TODO 7: the results are in order now. Points tid and tid + n/2 go out.
}
