// attack: keeps a new array of each round in the device's heap, where cudaMalloc does not count it
// exercise: cleanup
// expect: memory-leak
// stopped-by: what kernels get from malloc and do not free is a leak, and counts as an array

__global__ void saxpy(float a, const float* x, float* y, int n) {
    __shared__ float* kept;
    if (threadIdx.x == 0) {
        kept = static_cast<float*>(malloc(n * sizeof(float)));
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        kept[i] = a * x[i] + y[i];
        y[i] = kept[i];
    }
}

extern "C" void cleanup(float a, const float* x, float* y, int n, int rounds) {
    const size_t bytes = n * sizeof(float);
    cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20);
    for (int round = 0; round < rounds; ++round) {
        float *d_x, *d_y;
        cudaMalloc(&d_x, bytes);
        cudaMalloc(&d_y, bytes);
        cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice);
        cudaMemcpy(d_y, y, bytes, cudaMemcpyHostToDevice);
        saxpy<<<1, 256>>>(a, d_x, d_y, n);
        cudaMemcpy(y, d_y, bytes, cudaMemcpyDeviceToHost);
        cudaFree(d_x);
        cudaFree(d_y);
    }
}
