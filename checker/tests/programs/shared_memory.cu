// More dynamic shared memory than a kernel has by default.
#include <cstdio>

__global__ void reverse(const int* in, int* out, int n) {
    extern __shared__ int s[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        s[i] = in[i];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        out[i] = s[n - 1 - i];
    }
}

int main() {
    const int n = 15000;
    static int host[n];
    int *in, *out;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    for (int i = 0; i < n; ++i) {
        host[i] = i * i;
    }
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    reverse<<<1, 256, sizeof host>>>(in, out, n);
    printf("without asking: %s\n", cudaGetErrorName(cudaGetLastError()));
    cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof host);
    reverse<<<1, 256, sizeof host>>>(in, out, n);
    printf("after asking: %s\n", cudaGetErrorName(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", host[0], host[1], host[n - 1]);
    cudaFree(in);
    cudaFree(out);
}
