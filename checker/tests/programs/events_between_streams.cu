// One stream produces what another uses, after an event. A third part of the program queries until it is done.
#include <cstdio>

__global__ void fill(float* x, float value, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        x[i] = value;
    }
}

__global__ void sum(const float* x, float* out, int n) {
    float s = 0;
    for (int i = threadIdx.x; i < n; i += 32) {
        s += x[i];
    }
    for (int d = 16; d > 0; d /= 2) {
        s += __shfl_down_sync(0xffffffff, s, d);
    }
    if (threadIdx.x == 0) {
        *out = s;
    }
}

int main() {
    const int n = 1 << 14;
    float *x, *out, host = 0;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&out, sizeof(float));
    cudaStream_t maker, user;
    cudaStreamCreateWithFlags(&maker, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&user, cudaStreamNonBlocking);
    cudaEvent_t made, used;
    cudaEventCreateWithFlags(&made, cudaEventDisableTiming);
    cudaEventCreate(&used);
    printf("never recorded: %s\n", cudaGetErrorName(cudaEventQuery(made)));
    fill<<<16, 128, 0, maker>>>(x, 0.25f, n);
    cudaEventRecord(made, maker);
    cudaStreamWaitEvent(user, made, 0);
    sum<<<1, 32, 0, user>>>(x, out, n);
    cudaEventRecord(used, user);
    while (cudaEventQuery(used) == cudaErrorNotReady) {
    }
    cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("sum %g\n", host);
    printf("made: %s\n", cudaGetErrorName(cudaEventSynchronize(made)));
    printf("last error: %s\n", cudaGetErrorName(cudaGetLastError()));
    cudaEventDestroy(made);
    cudaEventDestroy(used);
    cudaStreamDestroy(maker);
    cudaStreamDestroy(user);
    cudaFree(x);
    cudaFree(out);
}
