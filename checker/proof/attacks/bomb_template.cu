// attack: a type whose size doubles with each of thirty steps
// exercise: blocks
// expect: compiler-stopped or compile-error
// graded: yes
// stopped-by: the compiler runs in its own process, with limits on time and memory

template <typename A, typename B>
struct Pair {};

template <int N, typename A, typename B>
struct Tree {
    using type = Pair<typename Tree<N - 1, A, Pair<A, B>>::type, typename Tree<N - 1, B, Pair<B, A>>::type>;
};
template <typename A, typename B>
struct Tree<0, A, B> {
    using type = Pair<A, B>;
};
__device__ Tree<30, int, float>::type bomb;

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = a[i] + b[i];
    }
}
