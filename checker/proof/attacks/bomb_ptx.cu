// attack: nested loops that are all unrolled turn a small file into a megabyte of PTX
// exercise: blocks
// expect: wrong-values
// stopped-by: the compiler and the simulator run in their own processes, with limits on time and memory

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll
    for (int x = 0; x < 40; ++x) {
#pragma unroll
        for (int y = 0; y < 40; ++y) {
            sum += a[(x * y + i) % n] * b[(x + y + i) % n];
        }
    }
    if (i < n) {
        out[i] = sum;
    }
}
