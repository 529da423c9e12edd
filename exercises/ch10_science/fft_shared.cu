// fft_shared | chapter 10 | "Butterflies"
//
// Goal    compute the Fourier transform of each signal,
//             out[k] = sum over j of in[j] * e^(-2 pi i j k / n),
//         as a fast transform in shared memory. It has log2(n) stages of butterflies, with one
//         barrier before the first stage and one after each stage. Load each point once.
//
// in_re, in_im    [signals][n]  f32, real and imaginary parts, read only
// out_re, out_im  [signals][n]  f32, every element must be written
// stages  count   a signal has n = 2^stages points, and 1 <= stages <= 10
// launch  one block for each signal, with one thread for each of the n / 2 butterflies of a stage
//
// Run     cargo checker check fft_shared       Stuck?  cargo checker hint fft_shared

constexpr int MOST = 1024;  // points of the longest signal

extern "C" __global__ void fft_shared(const float* __restrict__ in_re,
                                      const float* __restrict__ in_im, float* __restrict__ out_re,
                                      float* __restrict__ out_im, int stages) {
    __shared__ float re[MOST];
    __shared__ float im[MOST];

    const int n = 1 << stages;
    const int tid = threadIdx.x;                  // 0 .. n/2-1
    const size_t begin = size_t(blockIdx.x) * n;  // index of my signal's first point

    // TODO 1: load points tid and tid + n/2 into re and im. A point's new index is its old index
    //         with its bits in reverse order. (__brev reverses all 32 bits of an unsigned int.)

    // TODO 2: a butterfly reads points that other threads have stored. What must come before it?

    for (int half = 1; half < n; half *= 2) {
        // TODO 3: each group of 2 * half points has `half` butterflies. Which two points a and b,
        //         `half` apart, does butterfly tid combine, and what is its number k in its group?

        // TODO 4: compute the twiddle factor e^(-i pi k / half). (sincospif(x, &s, &c) computes
        //         the sine and the cosine of pi * x.)

        // TODO 5: replace a with a + twiddle * b, and b with a - twiddle * b.

        // TODO 6: other threads read these points in the next stage. What must come before that?
    }

    // TODO 7: the results are in order now. Store points tid and tid + n/2.
}
