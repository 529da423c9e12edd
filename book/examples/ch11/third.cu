// Finds the third greatest of 24 readings of each sensor, in registers and in
// local memory.
#include <cstdio>
#include <vector>

constexpr int READINGS = 24;

// ANCHOR: local
// sorts all readings of a sensor, with indices that change
__global__ void third_sorted(const float* readings, float* third, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v[READINGS];                                    // (1)
        for (int k = 0; k < READINGS; ++k) {
            float value = readings[k * n + i];
            int at = k;
            while (at > 0 && v[at - 1] < value) {             // (2)
                v[at] = v[at - 1];
                --at;
            }
            v[at] = value;
        }
        third[i] = v[2];
    }
}
// ANCHOR_END: local

// ANCHOR: registers
// keeps the three greatest readings
__global__ void third_kept(const float* readings, float* third, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float a = -1e30f, b = -1e30f, c = -1e30f;             // (1)
        for (int k = 0; k < READINGS; ++k) {
            float value = readings[k * n + i];
            c = fmaxf(c, fminf(b, value));                    // (2)
            b = fmaxf(b, fminf(a, value));
            a = fmaxf(a, value);
        }
        third[i] = c;
    }
}
// ANCHOR_END: registers

int main() {
    const int n = 1000;
    std::vector<float> host(READINGS * n), sorted(n), kept(n);
    for (int i = 0; i < READINGS * n; ++i) {
        host[i] = (i * 37) % 1009;
    }
    float *readings, *third;
    cudaMalloc(&readings, host.size() * sizeof(float));
    cudaMalloc(&third, n * sizeof(float));
    cudaMemcpy(readings, host.data(), host.size() * sizeof(float),
               cudaMemcpyHostToDevice);
    third_sorted<<<4, 256>>>(readings, third, n);
    cudaMemcpy(sorted.data(), third, n * sizeof(float),
               cudaMemcpyDeviceToHost);
    third_kept<<<4, 256>>>(readings, third, n);
    cudaMemcpy(kept.data(), third, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("sensor 0: %.0f and %.0f, %s\n", sorted[0], kept[0],
           sorted == kept ? "all equal" : "different");
    for (auto kernel : {third_sorted, third_kept}) {
        cudaFuncAttributes facts;
        cudaFuncGetAttributes(&facts, kernel);                // (3)
        printf("%d registers, %d bytes of local memory\n", facts.numRegs,
               int(facts.localSizeBytes));
    }
    cudaFree(readings);
    cudaFree(third);
}
