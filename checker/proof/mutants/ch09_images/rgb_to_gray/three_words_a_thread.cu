// expect: gate-missed
// Four pixels for each thread, as three words of its own: a quarter of the requests, and as many
// sectors as before.

constexpr int BLOCK = 256;  // threads per block

__device__ unsigned char luma(int red, int green, int blue) {
    return (77 * red + 150 * green + 29 * blue) >> 8;
}

extern "C" __global__ void rgb_to_gray(const unsigned char* __restrict__ rgb,
                                       unsigned char* __restrict__ gray, int n) {
    const int idx = blockIdx.x * BLOCK + threadIdx.x;
    const int first = 4 * idx;  // of my four pixels

    if (first + 4 <= n) {
        const uchar4* words = reinterpret_cast<const uchar4*>(rgb) + 3 * idx;
        const uchar4 a = words[0];
        const uchar4 b = words[1];
        const uchar4 c = words[2];
        gray[first] = luma(a.x, a.y, a.z);
        gray[first + 1] = luma(a.w, b.x, b.y);
        gray[first + 2] = luma(b.z, b.w, c.x);
        gray[first + 3] = luma(c.y, c.z, c.w);
    } else {
        for (int at = first; at < n; ++at) {
            gray[at] = luma(rgb[3 * at], rgb[3 * at + 1], rgb[3 * at + 2]);
        }
    }
}
