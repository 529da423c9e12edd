// A copy reads from an address that belongs to no memory.
#include <cstdio>

int main() {
    int* device;
    int* host = nullptr;
    int four[4] = {};
    host = (int*)0x12345000;  // fixed: host = four;
    cudaMalloc(&device, sizeof(four));
    cudaMemcpy(device, host, sizeof(four), cudaMemcpyHostToDevice);
    cudaFree(device);
    printf("done\n");
}
