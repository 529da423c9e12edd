// Computes the growth of many populations over some years, in two ways.
#include <cstdio>
#include <vector>

// ANCHOR: kernel
__global__ void grow(float* rabbits, float rate, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        rabbits[i] += rate * rabbits[i] * (1.0f - rabbits[i]);
    }
}
// ANCHOR_END: kernel

// ANCHOR: chatty
void grow_one_year(float* rabbits, float rate, int n) {
    float* d_rabbits;
    size_t bytes = n * sizeof(float);
    cudaMalloc(&d_rabbits, bytes);
    cudaMemcpy(d_rabbits, rabbits, bytes, cudaMemcpyHostToDevice);
    grow<<<(n + 255) / 256, 256>>>(d_rabbits, rate, n);
    cudaMemcpy(rabbits, d_rabbits, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_rabbits);
}

void grow_with_copies(float* rabbits, float rate, int n, int years) {
    for (int year = 0; year < years; ++year) {
        grow_one_year(rabbits, rate, n);
    }
}
// ANCHOR_END: chatty

// ANCHOR: device
void grow_on_device(float* rabbits, float rate, int n, int years) {
    float* d_rabbits;
    size_t bytes = n * sizeof(float);
    cudaMalloc(&d_rabbits, bytes);
    cudaMemcpy(d_rabbits, rabbits, bytes, cudaMemcpyHostToDevice);  // (1)
    for (int year = 0; year < years; ++year) {
        grow<<<(n + 255) / 256, 256>>>(d_rabbits, rate, n);         // (2)
    }
    cudaMemcpy(rabbits, d_rabbits, bytes, cudaMemcpyDeviceToHost);  // (3)
    cudaFree(d_rabbits);
}
// ANCHOR_END: device

int main() {
    const int n = 100000;
    std::vector<float> first(n), second(n);
    for (int i = 0; i < n; ++i) {
        first[i] = second[i] = 0.1f + 0.8f * i / n;
    }

    grow_with_copies(first.data(), 0.5f, n, 4);
    grow_on_device(second.data(), 0.5f, n, 4);
    printf("the same results: %s\n", first == second ? "yes" : "no");
}
