// One kernel folds 32 numbers with any operation.
#include <cstdio>

// ANCHOR: kernel
struct Gcd {
    __device__ int operator()(int a, int b) const {
        while (b != 0) {
            int rest = a % b;
            a = b;
            b = rest;
        }
        return a;
    }
};

struct InCommon {
    __device__ int operator()(int a, int b) const {
        return a & b;
    }
};

template <typename Operation>
__global__ void fold(Operation op, int neutral, const int* in, int* out,
                     int n) {
    int value = threadIdx.x < n ? in[threadIdx.x] : neutral;       // (1)
    for (int distance = 16; distance > 0; distance /= 2) {
        int other = __shfl_xor_sync(0xffffffff, value, distance);
        value = op(value, other);                                  // (2)
    }
    if (threadIdx.x == 0) {
        *out = value;
    }
}
// ANCHOR_END: kernel

int main() {
    const int n = 5;
    int in[n] = {60, 28, 76, 124, 92}, out;
    int *d_in, *d_out;
    cudaMalloc(&d_in, sizeof in);
    cudaMalloc(&d_out, sizeof out);
    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);

    // ANCHOR: launch
    fold<<<1, 32>>>(Gcd{}, 0, d_in, d_out, n);                     // (3)
    cudaMemcpy(&out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    printf("the greatest common divisor is %d\n", out);

    fold<<<1, 32>>>(InCommon{}, -1, d_in, d_out, n);               // (4)
    cudaMemcpy(&out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    printf("the bits that all have in common are 0x%x\n", out);
    // ANCHOR_END: launch
    cudaFree(d_out);
    cudaFree(d_in);
}
