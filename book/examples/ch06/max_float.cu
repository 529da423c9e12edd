// Finds the largest of many floats. CUDA has no atomicMax for float, so we
// build a maximum from atomicCAS.
#include <cstdio>

// ANCHOR: kernel
__device__ void atomic_max(float* address, float value) {
    int* bits = reinterpret_cast<int*>(address);                   // (1)
    int seen = atomicAdd(bits, 0);                                 // (2)
    while (__int_as_float(seen) < value) {                         // (3)
        int expected = seen;
        seen = atomicCAS(bits, expected, __float_as_int(value));   // (4)
        if (seen == expected) {
            break;                                                 // (5)
        }
    }
}
// ANCHOR_END: kernel

__global__ void largest(const float* in, float* result, int n) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        atomic_max(result, in[idx]);
    }
}

int main() {
    const int n = 1000;
    float in[n], result = -INFINITY;
    for (int i = 0; i < n; ++i) {
        in[i] = (i * 37 % n) * 0.25f - 100.0f;
    }
    float *d_in, *d_result;
    cudaMalloc(&d_in, sizeof in);
    cudaMalloc(&d_result, sizeof(float));
    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
    cudaMemcpy(d_result, &result, sizeof result, cudaMemcpyHostToDevice);

    largest<<<4, 256>>>(d_in, d_result, n);

    cudaMemcpy(&result, d_result, sizeof result, cudaMemcpyDeviceToHost);
    printf("the largest is %.2f, and 149.75 expected\n", result);
    cudaFree(d_result);
    cudaFree(d_in);
}
