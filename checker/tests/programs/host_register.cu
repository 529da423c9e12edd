// The program's own memory is page-locked, so that copies from it overlap with the host.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                     \
    do {                                                                                \
        const cudaError_t code = (call);                                                \
        if (code != cudaSuccess) {                                                      \
            printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(code));        \
            exit(1);                                                                    \
        }                                                                               \
    } while (0)

__global__ void negate(int* x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] = -x[i];
    }
}

int main() {
    const int n = 1 << 14;
    std::vector<int> numbers(n);
    for (int i = 0; i < n; ++i) {
        numbers[i] = i;
    }
    CHECK(cudaHostRegister(numbers.data(), n * sizeof(int), cudaHostRegisterPortable));
    printf("again: %s\n", cudaGetErrorName(cudaHostRegister(numbers.data(), n * sizeof(int), 0)));
    (void)cudaGetLastError();
    unsigned flags = 0;
    CHECK(cudaHostGetFlags(&flags, numbers.data()));
    printf("portable: %d\n", (flags & cudaHostRegisterPortable) != 0);

    int* device;
    CHECK(cudaMalloc(&device, n * sizeof(int)));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemcpyAsync(device, numbers.data(), n * sizeof(int), cudaMemcpyHostToDevice, stream));
    negate<<<n / 256, 256, 0, stream>>>(device, n);
    CHECK(cudaMemcpyAsync(numbers.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    long long sum = 0;
    for (int v : numbers) {
        sum += v;
    }
    printf("sum %lld\n", sum);
    CHECK(cudaHostUnregister(numbers.data()));
    printf("twice: %s\n", cudaGetErrorName(cudaHostUnregister(numbers.data())));
    printf("flags: %s\n", cudaGetErrorName(cudaHostGetFlags(&flags, numbers.data())));
    (void)cudaGetLastError();
    CHECK(cudaMemcpy(numbers.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost));
    printf("still copied: %d\n", numbers[n - 1]);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(device));
}
