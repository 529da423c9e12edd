#include <cstdio>

__global__ void hello() {
    printf("hello from thread %u\n", threadIdx.x);
}

int main() {
    hello<<<1, 4>>>();
    printf("done\n");
}
