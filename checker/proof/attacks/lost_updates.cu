// attack: adds to the counter by a relaxed load and a relaxed store, which are no data race
// exercise: counter_race
// expect: wrong-values
// stopped-by: other threads run after each access that observes memory which they share

extern "C" __global__ void counter_race(const float* in, int* hits, int n, float limit) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int own = i < n && in[i] > limit;
    const int sum = __popc(__ballot_sync(0xffffffff, own));
    if (threadIdx.x % 32 == 0) {
        int before;
        asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(before) : "l"(hits) : "memory");
        asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" ::"l"(hits), "r"(before + sum) : "memory");
    }
}
