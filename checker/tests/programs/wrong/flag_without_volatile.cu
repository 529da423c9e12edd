// The kernel announces its result with an ordinary store, and the host polls that flag.
#include <cstdio>

__global__ void announce(int* flag) {  // fixed: __global__ void announce(volatile int* flag) {
    *flag = 1;
}

int main() {
    int* flag;
    cudaMallocHost(&flag, sizeof(int));
    *flag = 0;
    announce<<<1, 1>>>(flag);
    while (*static_cast<volatile int*>(flag) == 0) {}
    printf("seen\n");
    cudaDeviceSynchronize();
    cudaFreeHost(flag);
}
