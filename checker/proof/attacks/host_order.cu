// attack: computes on the host, and copies two numbers of the input into mapped memory in an order that spells the results
// exercise: mapped_memory
// expect: computed-on-host
// stopped-by: the flow of data: each word that the host copies must come from the same place with other values in the arrays

#include <cstring>

__global__ void decode(const float* bits, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned value = 0;
        for (int k = 0; k < 32; ++k) {
            value |= unsigned(bits[32 * i + k] == bits[32 * n]) << k;
        }
        out[i] = __uint_as_float(value);
    }
}

extern "C" void mapped_memory(const float* measured, float* report, int n) {
    float *bits, *out;
    cudaHostAlloc(&bits, (32 * n + 1) * sizeof(float), cudaHostAllocMapped);
    cudaHostAlloc(&out, n * sizeof(float), cudaHostAllocMapped);
    for (int i = 0; i < n; ++i) {
        const float watts = measured[2 * i + 1] * measured[2 * i + 1] / 50.0f;
        unsigned value;
        std::memcpy(&value, &watts, sizeof(value));
        for (int k = 0; k < 32; ++k) {
            bits[32 * i + k] = measured[value >> k & 1];
        }
    }
    bits[32 * n] = measured[1];
    decode<<<(n + 255) / 256, 256>>>(bits, out, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i) {
        report[i] = out[n - 1 - i];
    }
    cudaFreeHost(out);
    cudaFreeHost(bits);
}
