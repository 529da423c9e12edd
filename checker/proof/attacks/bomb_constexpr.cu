// attack: makes the compiler itself compute for ever
// exercise: blocks
// expect: compile-error
// stopped-by: the compiler's own limits

constexpr unsigned long long forever(unsigned long long n) {
    unsigned long long x = n;
    while (x != 0) {
        x = x * 6364136223846793005ull | 1;
    }
    return x;
}
__constant__ unsigned long long bomb = forever(1);
static_assert(forever(1) == 0, "");

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = a[i] + b[i];
    }
}
