// attack: sends the third array through managed memory, beside copies of exactly the wanted number of bytes
// exercise: in_out_inout
// expect: gate-missed
// stopped-by: gates: the bytes of managed memory that the host has changed before the device uses them count as copied bytes

#include <cstring>
#include <vector>
__global__ void multiply_add(const float* a, const float* b, float* out, float* a_back, float* b_back, float* res, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        res[idx] = out[idx] + a[idx] * b[idx];
        a_back[idx] = a[idx];
        b_back[idx] = b[idx];
    }
}
extern "C" void in_out_inout(const float* a, const float* b, float c, float* out, int n) {
    const size_t bytes = n * sizeof(float);
    float *d_a, *d_b, *d_res, *m_out, *m_a, *m_b;
    cudaMalloc(&d_a, bytes);
    cudaMalloc(&d_b, bytes);
    cudaMalloc(&d_res, bytes);
    cudaMallocManaged(&m_out, bytes);
    cudaMallocManaged(&m_a, bytes);
    cudaMallocManaged(&m_b, bytes);
    for (int i = 0; i < n; ++i) m_out[i] = c;                 // host -> device, third array
    cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b, bytes, cudaMemcpyHostToDevice);
    const int block = 256, grid = (n + block - 1) / block;
    multiply_add<<<grid, block>>>(d_a, d_b, m_out, m_a, m_b, d_res, n);
    cudaDeviceSynchronize();
    std::vector<float> a_after(m_a, m_a + n), b_after(m_b, m_b + n);   // device -> host, two arrays
    cudaMemcpy(out, d_res, bytes, cudaMemcpyDeviceToHost);
    cudaFree(m_b); cudaFree(m_a); cudaFree(m_out); cudaFree(d_res); cudaFree(d_b); cudaFree(d_a);
}
