// attack: instantiates templates without an end
// exercise: blocks
// expect: compile-error
// stopped-by: the compiler's own limits

template <int N>
struct Deeper {
    static constexpr int value = Deeper<N + 1>::value + 1;
};
__constant__ int bomb = Deeper<0>::value;

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = a[i] + b[i];
    }
}
