// attack: leaves a loop at run time with a predicated `exit` instead of a branch
// exercise: specialise
// expect: gate-missed
// stopped-by: the count of branches: a guard of `exit` or `ret` is one

#ifndef RADIUS
#define RADIUS 4
#endif
__device__ volatile int radius_at_run_time = RADIUS;
extern "C" __global__ void specialise(const float* __restrict__ in, const float* __restrict__ weights, float* __restrict__ out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile("{ .reg .pred p; setp.ge.s32 p, %0, %1; @p exit; }" :: "r"(idx), "r"(n));
    const int count = 2 * radius_at_run_time + 1;
    float sum = 0.0f;
    int k = 0;
#pragma unroll 1
    for (;;) {
        sum += weights[k] * in[idx + k];
        ++k;
        asm volatile("{ .reg .pred p; setp.ge.s32 p, %0, %1; @p st.global.f32 [%2], %3; @p exit; }"
                     :: "r"(k), "r"(count), "l"(out + idx), "f"(sum) : "memory");
    }
}
