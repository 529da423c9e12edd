// in_out_inout | chapter 2 | "In, out, both"
//
// Goal    compute out = a*b + c with two copies in and one out, without copying unnecessary bytes.
//
// a, b    [n]  f32, in the host's memory, read only
// c       a number
// out     [n]  f32, in the host's memory, every element must be written
// n       count
//
// This program is right but wasteful, because it copies every array to the device and back.
//
// Run     cargo checker check in_out_inout     Stuck?  cargo checker hint in_out_inout

#include <vector>

__global__ void multiply_add(const float* a, const float* b, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        out[idx] += a[idx] * b[idx];
    }
}

extern "C" void in_out_inout(const float* a, const float* b, float c, float* out, int n) {
    const size_t bytes = n * sizeof(float);
    float *d_a, *d_b, *d_out;
    cudaMalloc(&d_a, bytes);
    cudaMalloc(&d_b, bytes);
    cudaMalloc(&d_out, bytes);

    for (int i = 0; i < n; ++i) {
        out[i] = c;  // the kernel adds a*b to this
    }
    cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_out, out, bytes, cudaMemcpyHostToDevice);

    const int block = 256;
    const int grid = (n + block - 1) / block;
    multiply_add<<<grid, block>>>(d_a, d_b, d_out, n);

    std::vector<float> a_after(n), b_after(n);
    cudaMemcpy(a_after.data(), d_a, bytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(b_after.data(), d_b, bytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);

    cudaFree(d_out);
    cudaFree(d_b);
    cudaFree(d_a);
}
