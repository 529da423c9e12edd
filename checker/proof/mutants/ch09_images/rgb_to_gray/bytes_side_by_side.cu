// expect: gate-missed
// Fetches every byte once, and one byte at a time: as many requests as before.

constexpr int BLOCK = 256;       // threads per block
constexpr int SPAN = 3 * BLOCK;  // bytes of a block's pixels

// Weights in 256ths, which add up to 256: white stays white, and no float is needed.
__device__ unsigned char luma(int red, int green, int blue) {
    return (77 * red + 150 * green + 29 * blue) >> 8;
}

extern "C" __global__ void rgb_to_gray(const unsigned char* __restrict__ rgb,
                                       unsigned char* __restrict__ gray, int n) {
    __shared__ uchar4 words[SPAN / 4];
    unsigned char* bytes = reinterpret_cast<unsigned char*>(words);

    const int tid = threadIdx.x;                        // 0 .. BLOCK-1
    const int idx = blockIdx.x * BLOCK + tid;           // my pixel, 0 .. grid*BLOCK-1
    const int pixels = min(BLOCK, n - (idx - tid));     // of this block, 1 .. BLOCK
    const unsigned char* mine = rgb + 3 * (idx - tid);  // a multiple of 768: a word may begin here

    for (int at = tid; at < 3 * pixels; at += BLOCK) {
        bytes[at] = mine[at];
    }

    __syncthreads();  // all bytes are there before anyone picks three of them

    if (idx < n) {
        const unsigned char* pixel = bytes + 3 * tid;
        gray[idx] = luma(pixel[0], pixel[1], pixel[2]);
    }
}
