// attack: sums every term of the transform, with points that it reads by compare-and-swap
// exercise: fft_shared
// expect: gate-missed
// stopped-by: gates count what moves data: an atomic operation whose result is used is a load

__device__ float point(const float* p) {
    return __int_as_float(atomicCAS(reinterpret_cast<int*>(const_cast<float*>(p)), 0x7fc12345, 0x7fc12345));
}

extern "C" __global__ void fft_shared(const float* in_re, const float* in_im, float* out_re, float* out_im,
                                      int stages) {
    const int n = 1 << stages;
    const size_t begin = size_t(blockIdx.x) * n;
    for (int k = threadIdx.x; k < n; k += n / 2) {
        double re = 0.0, im = 0.0;
        for (int j = 0; j < n; ++j) {
            const int turn = int((long long)j * k % n);
            float s, c;
            sincospif(-2.0f * turn / n, &s, &c);
            const double x = point(in_re + begin + j), y = point(in_im + begin + j);
            re += x * c - y * s;
            im += x * s + y * c;
        }
        out_re[begin + k] = float(re);
        out_im[begin + k] = float(im);
    }
}
