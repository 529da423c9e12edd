// expect: misaligned-access
// A pixel and a byte more in one load: its address is a multiple of 4 for every fourth pixel only.

constexpr int BLOCK = 256;  // threads per block

__device__ unsigned char luma(int red, int green, int blue) {
    return (77 * red + 150 * green + 29 * blue) >> 8;
}

extern "C" __global__ void rgb_to_gray(const unsigned char* __restrict__ rgb,
                                       unsigned char* __restrict__ gray, int n) {
    const int idx = blockIdx.x * BLOCK + threadIdx.x;  // my pixel, 0 .. grid*BLOCK-1

    if (idx < n - 1) {
        const uchar4 pixel = *reinterpret_cast<const uchar4*>(rgb + 3 * idx);
        gray[idx] = luma(pixel.x, pixel.y, pixel.z);
    } else if (idx == n - 1) {  // there is no byte after the last pixel
        gray[idx] = luma(rgb[3 * idx], rgb[3 * idx + 1], rgb[3 * idx + 2]);
    }
}
