// A block's pixels are 768 bytes without gaps, so 192 threads load 4 adjacent bytes each into
// shared memory, and then every thread reads the three bytes of its pixel there. That loads 3 bytes
// for each pixel instead of 9, with a quarter of the load requests. All threads reach the barrier,
// even threads without a pixel. At the end of the last block, up to three bytes may not fill a
// word, so the kernel loads them one by one.

constexpr int BLOCK = 256;       // threads per block
constexpr int SPAN = 3 * BLOCK;  // bytes of a block's pixels

// The weights are integers with the sum 256, so white stays white, and no floats are needed.
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
    const int whole = 3 * pixels / 4;                   // words that contain only pixels
    const unsigned char* mine = rgb + 3 * (idx - tid);  // at a multiple of 768, so it's aligned

    if (tid < whole) {
        words[tid] = reinterpret_cast<const uchar4*>(mine)[tid];
    }
    if (4 * whole + tid < 3 * pixels) {
        bytes[4 * whole + tid] = mine[4 * whole + tid];
    }

    __syncthreads();  // all bytes are loaded before any thread reads its pixel

    if (idx < n) {
        const unsigned char* pixel = bytes + 3 * tid;
        gray[idx] = luma(pixel[0], pixel[1], pixel[2]);
    }
}
