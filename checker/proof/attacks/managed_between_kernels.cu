// attack: sends the intermediate results to the host and back through managed memory
// exercise: stay_on_device
// expect: gate-missed
// stopped-by: gates: the bytes of managed memory that the host has changed before the device uses them count as copied bytes

#include <cstring>
#include <vector>
__global__ void normalise_kernel(const float* x, float* v, float mean, float deviation, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) v[idx] = (x[idx] - mean) / deviation;
}
__global__ void weigh_kernel(float* v, const float* w, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) v[idx] = v[idx] * w[idx];
}
__global__ void activate_kernel(const float* v, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) out[idx] = v[idx] / (1.0f + fabsf(v[idx]));
}
extern "C" void stay_on_device(const float* x, const float* w, float mean, float deviation, float* out, int n) {
    const size_t bytes = n * sizeof(float);
    const int grid = (n + 255) / 256;
    float *d_x, *d_w, *d_out, *m;
    cudaMalloc(&d_x, bytes); cudaMalloc(&d_w, bytes); cudaMalloc(&d_out, bytes);
    cudaMallocManaged(&m, bytes);
    cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_w, w, bytes, cudaMemcpyHostToDevice);
    normalise_kernel<<<grid, 256>>>(d_x, m, mean, deviation, n);
    cudaDeviceSynchronize();
    std::vector<float> normalised(m, m + n);             // to the host
    std::memset(m, 0, bytes);
    std::memcpy(m, normalised.data(), bytes);            // and back
    weigh_kernel<<<grid, 256>>>(m, d_w, n);
    cudaDeviceSynchronize();
    std::vector<float> weighed(m, m + n);
    std::memset(m, 0, bytes);
    std::memcpy(m, weighed.data(), bytes);
    activate_kernel<<<grid, 256>>>(m, d_out, n);
    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(m); cudaFree(d_out); cudaFree(d_w); cudaFree(d_x);
}
