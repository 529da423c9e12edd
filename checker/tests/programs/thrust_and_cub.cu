// Thrust and device-wide CUB choose a kernel by the architecture that the program was compiled for.

#include <cstdio>
#include <cub/cub.cuh>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/transform.h>

struct MultiplyAdd {
    int c;
    __host__ __device__ int operator()(int x, int y) const {
        return x * y + c;
    }
};

int main() {
    const int n = 10'007;
    thrust::device_vector<int> a(n), b(n, 3), sums(n);
    thrust::sequence(a.begin(), a.end());
    thrust::transform(a.begin(), a.end(), b.begin(), b.begin(), MultiplyAdd{1});
    thrust::transform(a.begin(), a.end(), a.begin(), [] __device__(int x) { return x % 7; });
    thrust::inclusive_scan(a.begin(), a.end(), sums.begin());
    int last[3];
    thrust::copy(sums.end() - 3, sums.end(), last);
    printf("%d, last sums %d %d %d\n", thrust::reduce(b.begin(), b.end()), last[0], last[1], last[2]);

    int *most, result = 0;
    void* storage = nullptr;
    size_t bytes = 0;
    cudaMalloc(&most, sizeof *most);
    const int* values = thrust::raw_pointer_cast(b.data());
    cudaError_t asked = cub::DeviceReduce::Max(storage, bytes, values, most, n);
    cudaMalloc(&storage, bytes);
    cudaError_t done = cub::DeviceReduce::Max(storage, bytes, values, most, n);
    cudaMemcpy(&result, most, sizeof result, cudaMemcpyDeviceToHost);
    printf("%d %d, maximum %d\n", asked, done, result);
    cudaFree(storage);
    cudaFree(most);
}
