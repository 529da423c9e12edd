// expect: wrong-values
// Every block fetches the pixels of the first one: right as long as there is one block.

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

    const int tid = threadIdx.x;                     // 0 .. BLOCK-1
    const int idx = blockIdx.x * BLOCK + tid;        // my pixel, 0 .. grid*BLOCK-1
    const int pixels = min(BLOCK, n - (idx - tid));  // of this block, 1 .. BLOCK
    const int whole = 3 * pixels / 4;                // words that are all pixels
    const unsigned char* mine = rgb;                 // where the block's pixels begin

    if (tid < whole) {
        words[tid] = reinterpret_cast<const uchar4*>(mine)[tid];
    }
    if (4 * whole + tid < 3 * pixels) {
        bytes[4 * whole + tid] = mine[4 * whole + tid];
    }

    __syncthreads();  // all bytes are there before anyone picks three of them

    if (idx < n) {
        const unsigned char* pixel = bytes + 3 * tid;
        gray[idx] = luma(pixel[0], pixel[1], pixel[2]);
    }
}
