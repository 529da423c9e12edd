// rgb_to_gray | chapter 9 | "Three bytes a pixel"
//
// Goal    compute gray = (77 * red + 150 * green + 29 * blue) / 256, rounded down, for every pixel.
//         Load at most 4 bytes for each pixel, with one load request for every 32 pixels.
//
// rgb     [n][3]  bytes, read only: red, green, blue, red, green, blue ... without gaps; it begins
//                 at an address that is a multiple of 256
// gray    [n]     bytes, every element must be written
// n       count   any n >= 1; the last block may be only partly full, and 3 * n needn't be a
//                 multiple of 4
// launch  grid = ceil(n / (EACH * BLOCK)), block = BLOCK: a thread for every EACH pixels
//
// The results are right, but a warp loads every sector three times, once for each colour.
//
// Run     cargo checker check rgb_to_gray      Stuck?  cargo checker hint rgb_to_gray

constexpr int BLOCK = 256;  // threads per block
constexpr int EACH = 4;     // pixels per thread

// The weights are integers with the sum 256, so white stays white, and no floats are needed.
__device__ unsigned char luma(int red, int green, int blue) {
    return (77 * red + 150 * green + 29 * blue) >> 8;
}

extern "C" __global__ void rgb_to_gray(const unsigned char* __restrict__ rgb,
                                       unsigned char* __restrict__ gray, int n) {
    const int first = blockIdx.x * EACH * BLOCK;  // the block's first pixel

    for (int k = 0; k < EACH; ++k) {
        const int idx = first + k * BLOCK + threadIdx.x;  // my pixel, 0 .. at least n-1
        if (idx < n) {
            const unsigned char* pixel = rgb + 3 * idx;
            gray[idx] = luma(pixel[0], pixel[1], pixel[2]);
        }
    }
}
