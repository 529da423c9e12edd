__global__ void scale(float* x) {
    x[threadIdx.x] *= 2.0f;
}

int main() {
    float *x, *host;
    cudaMalloc(&x, 256 * sizeof(float));
    cudaMallocHost(&host, 256 * sizeof(float));
    cudaStream_t copying, computing;
    cudaStreamCreate(&copying);
    cudaStreamCreate(&computing);
    cudaMemcpyAsync(x, host, 256 * sizeof(float), cudaMemcpyHostToDevice, copying);
    scale<<<1, 256, 0, computing>>>(x);
    cudaDeviceSynchronize();
    cudaStreamDestroy(copying);
    cudaStreamDestroy(computing);
    cudaFree(x);
    cudaFreeHost(host);
}
