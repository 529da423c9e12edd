// attack: copies through managed memory, within the device by name, so that no copy crosses the bus
// exercise: in_out_inout
// expect: gate-missed
// stopped-by: copies between managed and device memory count as copies between the host and the device

#include <vector>

static void up(float* device, const float* host, int n) {
    float* managed;
    cudaMallocManaged(&managed, n * 4);
    for (int i = 0; i < n; i++) {
        managed[i] = host[i];
    }
    cudaMemcpy(device, managed, n * 4, cudaMemcpyDeviceToDevice);
    cudaFree(managed);
}

static void down(float* host, const float* device, int n) {
    float* managed;
    cudaMallocManaged(&managed, n * 4);
    cudaMemcpy(managed, device, n * 4, cudaMemcpyDefault);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++) {
        host[i] = managed[i];
    }
    cudaFree(managed);
}

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
    up(d_out, out, n);

    const int block = 256;
    const int grid = (n + block - 1) / block;
    multiply_add<<<grid, block>>>(d_a, d_b, d_out, n);

    std::vector<float> a_after(n), b_after(n);
    down(a_after.data(), d_a, n);
    down(b_after.data(), d_b, n);
    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);

    cudaFree(d_out);
    cudaFree(d_b);
    cudaFree(d_a);
}
