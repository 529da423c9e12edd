// expect: out-of-bounds-read
// Takes pixel idx to be word idx, as if each had a fourth byte.

constexpr int BLOCK = 256;  // threads per block

__device__ unsigned char luma(int red, int green, int blue) {
    return (77 * red + 150 * green + 29 * blue) >> 8;
}

extern "C" __global__ void rgb_to_gray(const unsigned char* __restrict__ rgb,
                                       unsigned char* __restrict__ gray, int n) {
    const int idx = blockIdx.x * BLOCK + threadIdx.x;  // my pixel, 0 .. grid*BLOCK-1

    if (idx < n) {
        const uchar4 pixel = reinterpret_cast<const uchar4*>(rgb)[idx];
        gray[idx] = luma(pixel.x, pixel.y, pixel.z);
    }
}
