// Sorts pairs with CUB, which chooses its kernels by the architecture that the program was compiled
// for.
#include <cstdio>
#include <cub/device/device_radix_sort.cuh>
#include <vector>

__global__ void nothing() {}

int main() {
    const int n = 5000;
    std::vector<unsigned> keys(n), values(n);
    for (int i = 0; i < n; ++i) {
        keys[i] = i * 2654435761u % 1000;
        values[i] = i;
    }
    unsigned *device[4];
    for (unsigned *&array : device) {
        cudaMalloc(&array, n * sizeof(unsigned));
    }
    cudaMemcpy(device[0], keys.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
    cudaMemcpy(device[1], values.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
    size_t bytes = 0;
    void *workspace = nullptr;
    for (int pass = 0; pass < 2; ++pass) {
        const cudaError_t error = cub::DeviceRadixSort::SortPairs(
            workspace, bytes, device[0], device[2], device[1], device[3], n);
        printf("%s\n", cudaGetErrorName(error));
        if (pass == 0) {
            cudaMalloc(&workspace, bytes);
        }
    }
    std::vector<unsigned> sorted(n), order(n);
    cudaMemcpy(sorted.data(), device[2], n * sizeof(unsigned), cudaMemcpyDeviceToHost);
    cudaMemcpy(order.data(), device[3], n * sizeof(unsigned), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; ++i) {
        wrong += keys[order[i]] != sorted[i];
        wrong += i > 0 && (sorted[i - 1] > sorted[i] || sorted[i - 1] == sorted[i] && order[i - 1] > order[i]);
    }
    printf("%d wrong\n", wrong);
    cudaFuncAttributes attributes;
    cudaFuncGetAttributes(&attributes, nothing);
    printf("compiled for the device: %d\n", attributes.ptxVersion == attributes.binaryVersion);
    cudaFree(workspace);
    for (unsigned *array : device) {
        cudaFree(array);
    }
}
