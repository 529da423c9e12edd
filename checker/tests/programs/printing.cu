// The output of kernels appears when the host waits for them, in order with the output of the host.
#include <cstdio>

__global__ void hello(int from) {
    if (threadIdx.x == 0) {
        printf("block %d of launch %d\n", blockIdx.x, from);
    }
}

int main() {
    printf("before\n");
    hello<<<1, 32>>>(1);
    cudaDeviceSynchronize();
    printf("between\n");
    for (int i = 2; i < 4; ++i) {
        hello<<<1, 64>>>(i);
    }
    cudaDeviceSynchronize();
    printf("after\n");
}
