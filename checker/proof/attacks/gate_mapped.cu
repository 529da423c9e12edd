// attack: lets intermediate results go through mapped memory of the host, which no call copies
// exercise: stay_on_device
// expect: gate-missed
// stopped-by: the bytes that kernels load from mapped memory and store to it count as copied bytes

__global__ void normalise_kernel(const float* in, float* out, float mean, float deviation, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = (in[i] - mean) / deviation;
    }
}

__global__ void weigh_kernel(const float* in, float* out, const float* w, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[i] * w[i];
    }
}

__global__ void activate_kernel(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[i] / (1.0f + fabsf(in[i]));
    }
}

extern "C" void stay_on_device(const float* x, const float* w, float mean, float deviation, float* out, int n) {
    const size_t bytes = n * sizeof(float);
    const int grid = (n + 255) / 256;
    float *d_v, *d_w, *normalised, *weighed;
    cudaMalloc(&d_v, bytes);
    cudaMalloc(&d_w, bytes);
    cudaHostAlloc(&normalised, bytes, cudaHostAllocMapped);
    cudaHostAlloc(&weighed, bytes, cudaHostAllocMapped);
    cudaMemcpy(d_v, x, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_w, w, bytes, cudaMemcpyHostToDevice);
    normalise_kernel<<<grid, 256>>>(d_v, normalised, mean, deviation, n);
    cudaDeviceSynchronize();
    weigh_kernel<<<grid, 256>>>(normalised, weighed, d_w, n);
    cudaDeviceSynchronize();
    activate_kernel<<<grid, 256>>>(weighed, d_v, n);
    cudaMemcpy(out, d_v, bytes, cudaMemcpyDeviceToHost);
    cudaFreeHost(weighed);
    cudaFreeHost(normalised);
    cudaFree(d_w);
    cudaFree(d_v);
}
