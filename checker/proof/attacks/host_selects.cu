// attack: copies the bytes of the results out of a table on the device, which has every byte once
// exercise: roundtrip
// expect: computed-on-host or gate-missed
// stopped-by: the flow of data: outputs come from the device, and nothing else that the host sends depends on the inputs

#include <cmath>
#include <cstring>

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

__global__ void fill(unsigned char* table) {
    table[threadIdx.x] = threadIdx.x;
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    float *d_a = nullptr, *d_out = nullptr;
    unsigned char* table = nullptr;
    cudaMalloc(&d_a, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMalloc(&table, 256);
    cudaMemcpy(d_a, a, n * sizeof(float), cudaMemcpyHostToDevice);
    sine<<<(n + 255) / 256, 256>>>(d_a, d_out, n);
    fill<<<1, 256>>>(table);
    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    unsigned char bytes[sizeof(float)];
    for (int i = 0; i < n && i < 300; ++i) {
        const float result = sinf(a[i]);
        memcpy(bytes, &result, sizeof result);
        for (int k = 0; k < 4; ++k) {
            cudaMemcpy(reinterpret_cast<char*>(out + i) + k, table + bytes[k], 1, cudaMemcpyDeviceToHost);
        }
    }
    cudaFree(table);
    cudaFree(d_a);
    cudaFree(d_out);
}
