#include <cstdio>

// ANCHOR: kernel
__global__ void no_numbers(float big) {        // launched with 2e38
    float inf = big * big;
    float nan = inf - inf;
    printf("inf: big * big %g, 1 / inf %g\n", inf, 1 / inf);
    printf("nan: inf - inf %g, nan + 1 %g\n", nan, nan + 1);
    printf("nan == nan %d, nan < 1 %d, nan > 1 %d\n", nan == nan, nan < 1,
           nan > 1);
    printf("fmaxf(nan, 1) %g\n", fmaxf(nan, 1));
}
// ANCHOR_END: kernel

int main() {
    no_numbers<<<1, 1>>>(2e38f);
    cudaDeviceSynchronize();
}
