// Two streams share work, and two events make each stream wait for the other.
#include <cstdio>

// ANCHOR: kernels
constexpr int N = 1 << 16;

__global__ void ramp(float* x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = float(i % 100);
}

__global__ void scale(const float* x, float factor, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = factor * x[i];
}

__global__ void add(const float* a, const float* b, float* sum) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    sum[i] = a[i] + b[i];
}
// ANCHOR_END: kernels

int main() {
    float *x, *a, *b, *sum;
    cudaMalloc(&x, N * sizeof(float));
    cudaMalloc(&a, N * sizeof(float));
    cudaMalloc(&b, N * sizeof(float));
    cudaMalloc(&sum, N * sizeof(float));

    // ANCHOR: order
    cudaStream_t left, right;
    cudaStreamCreate(&left);
    cudaStreamCreate(&right);
    cudaEvent_t x_ready, b_ready;
    cudaEventCreateWithFlags(&x_ready, cudaEventDisableTiming);   // (1)
    cudaEventCreateWithFlags(&b_ready, cudaEventDisableTiming);

    ramp<<<N / 256, 256, 0, left>>>(x);
    cudaEventRecord(x_ready, left);                               // (2)
    scale<<<N / 256, 256, 0, left>>>(x, 2.0f, a);

    cudaStreamWaitEvent(right, x_ready);                          // (3)
    scale<<<N / 256, 256, 0, right>>>(x, 3.0f, b);
    cudaEventRecord(b_ready, right);

    cudaStreamWaitEvent(left, b_ready);                           // (4)
    add<<<N / 256, 256, 0, left>>>(a, b, sum);
    // ANCHOR_END: order

    float last = 0.0f;
    cudaMemcpyAsync(&last, sum + 99, sizeof(float),
                    cudaMemcpyDeviceToHost, left);
    cudaStreamSynchronize(left);
    printf("2 * 99 + 3 * 99 = %g\n", last);

    cudaEventDestroy(b_ready);
    cudaEventDestroy(x_ready);
    cudaStreamDestroy(right);
    cudaStreamDestroy(left);
    cudaFree(sum);
    cudaFree(b);
    cudaFree(a);
    cudaFree(x);
}
