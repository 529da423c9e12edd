#include <cooperative_groups.h>

__global__ void meet() {
    cooperative_groups::this_grid().sync();
}

int main() {
    meet<<<4, 32>>>();
    cudaDeviceSynchronize();
}
