// exercise: in_out_inout
// expect: not faster
// A thread of the host does the work after the call has returned.
#include <thread>

__global__ void multiply_add(const float* a, const float* b, float c, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        out[idx] = a[idx] * b[idx] + c;
    }
}

extern "C" void in_out_inout(const float* a, const float* b, float c, float* out, int n) {
    std::thread([=] {
    const size_t bytes = n * sizeof(float);
    float *d_a, *d_b, *d_out;
    cudaMalloc(&d_a, bytes);
    cudaMalloc(&d_b, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b, bytes, cudaMemcpyHostToDevice);
    multiply_add<<<(n + 255) / 256, 256>>>(d_a, d_b, c, d_out, n);
    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    cudaFree(d_b);
    cudaFree(d_a);
    }).detach();
}
