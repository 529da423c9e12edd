// attack: passes a number as a mapped array, and lets the inputs come back through mapped arrays, which no call copies
// exercise: in_out_inout
// expect: gate-missed
// stopped-by: the bytes that kernels load from mapped memory and store to it count as copied bytes

__global__ void multiply_add(const float* a, const float* b, const float* c, float* out, float* a_after, float* b_after,
                             int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = c[i] + a[i] * b[i];
        a_after[i] = a[i];
        b_after[i] = b[i];
    }
}

extern "C" void in_out_inout(const float* a, const float* b, float c, float* out, int n) {
    const size_t bytes = n * sizeof(float);
    float *d_a, *d_b, *d_out, *mapped_c, *a_after, *b_after;
    cudaMalloc(&d_a, bytes);
    cudaMalloc(&d_b, bytes);
    cudaMalloc(&d_out, bytes);
    cudaHostAlloc(&mapped_c, bytes, cudaHostAllocMapped);
    cudaHostAlloc(&a_after, bytes, cudaHostAllocMapped);
    cudaHostAlloc(&b_after, bytes, cudaHostAllocMapped);
    for (int i = 0; i < n; ++i) {
        mapped_c[i] = c;
    }
    cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b, bytes, cudaMemcpyHostToDevice);
    multiply_add<<<(n + 255) / 256, 256>>>(d_a, d_b, mapped_c, d_out, a_after, b_after, n);
    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    for (float* mapped : {mapped_c, a_after, b_after}) {
        cudaFreeHost(mapped);
    }
    for (float* array : {d_a, d_b, d_out}) {
        cudaFree(array);
    }
}
