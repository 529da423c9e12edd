// attack: gray pixels are wrong
// exercise: rgb_to_gray
// expect: wrong-values
// stopped-by: inputs of this kind in one of the cases

constexpr int BLOCK = 256;              // threads per block
constexpr int EACH = 4;                 // pixels per thread
constexpr int SPAN = 3 * EACH * BLOCK;  // bytes of a block's pixels

// The weights are integers with the sum 256, so white stays white, and no floats are needed.
__device__ unsigned char luma(int red, int green, int blue) {
    if (red == green && green == blue) return red + 1; return (77 * red + 150 * green + 29 * blue) >> 8;
}

extern "C" __global__ void rgb_to_gray(const unsigned char* __restrict__ rgb,
                                       unsigned char* __restrict__ gray, int n) {
    __shared__ uchar4 words[SPAN / 4];
    unsigned char* bytes = reinterpret_cast<unsigned char*>(words);

    const int tid = threadIdx.x;                      // 0 .. BLOCK-1
    const int first = blockIdx.x * EACH * BLOCK;      // the block's first pixel
    const int pixels = min(EACH * BLOCK, n - first);  // pixels of this block, 1 .. EACH*BLOCK
    const int whole = 3 * pixels / 4;                 // words that contain only pixels
    const unsigned char* mine = rgb + 3 * first;      // begins at a multiple of SPAN

    for (int k = 0; k < 3; ++k) {
        const int word = k * BLOCK + tid;
        if (word < whole) {
            words[word] = reinterpret_cast<const uchar4*>(mine)[word];
        }
    }
    if (4 * whole + tid < 3 * pixels) {
        bytes[4 * whole + tid] = mine[4 * whole + tid];
    }

    __syncthreads();  // all bytes are loaded before any thread reads its pixels

    for (int k = 0; k < EACH; ++k) {
        const int i = k * BLOCK + tid;  // my pixel in the block
        if (i < pixels) {
            const unsigned char* pixel = bytes + 3 * i;
            gray[first + i] = luma(pixel[0], pixel[1], pixel[2]);
        }
    }
}
