extern "C" __global__ void no_numbers() {
    if (threadIdx.x != 2) {
        return;  // one thread is enough
    }
    const float big = threadIdx.x * 1e38f;  // the largest float is about 3.4e38
    const float inf = big * big;
    const float nan = inf - inf;
    printf("big %g, big * big %g, inf - inf %g\n", big, inf, nan);
    printf("1 / inf %g, inf / inf %g, 0 * inf %g\n", 1 / inf, inf / inf, 0 * inf);
    printf("nan == nan %d, nan < 1 %d, nan > 1 %d\n", nan == nan, nan < 1, nan > 1);
    printf("fmaxf(nan, 1) %g, nan + 1 %g\n", fmaxf(nan, 1), nan + 1);
}
