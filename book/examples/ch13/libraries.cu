// Computes prefix sums with CUB for a device, Thrust, and CUB for a block.
#include <cstdio>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/execution_policy.h>
#include <thrust/scan.h>

constexpr int BLOCK = 128;

// ANCHOR: block
__global__ void scan_block(const int* in, int* out) {
    using Scan = cub::BlockScan<int, BLOCK>;
    __shared__ Scan::TempStorage storage;
    int sum;
    Scan(storage).InclusiveSum(in[threadIdx.x], sum);             // (1)
    out[threadIdx.x] = sum;
}
// ANCHOR_END: block

int main() {
    const int n = 1000;
    int *in, *out;
    cudaMallocManaged(&in, n * sizeof(int));
    cudaMallocManaged(&out, n * sizeof(int));
    for (int i = 0; i < n; ++i) {
        in[i] = i % 3;
    }

    // ANCHOR: calls
    size_t bytes = 0;
    void* storage = nullptr;
    cub::DeviceScan::InclusiveSum(storage, bytes, in, out, n);    // (2)
    cudaMalloc(&storage, bytes);
    cub::DeviceScan::InclusiveSum(storage, bytes, in, out, n);    // (3)
    cudaDeviceSynchronize();
    printf("CUB     %d\n", out[n - 1]);

    thrust::inclusive_scan(thrust::device, in, in + n, out);      // (4)
    cudaDeviceSynchronize();
    printf("Thrust  %d\n", out[n - 1]);

    scan_block<<<1, BLOCK>>>(in, out);
    cudaDeviceSynchronize();
    printf("block   %d\n", out[BLOCK - 1]);
    // ANCHOR_END: calls

    cudaFree(storage);
    cudaFree(out);
    cudaFree(in);
}
