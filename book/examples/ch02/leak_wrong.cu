// A function returns in two places, but frees its memory in only one.
#include <cstdio>
#include <vector>

__global__ void distances(float* a, const float* b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        a[i] = fabsf(a[i] - b[i]);
    }
}

// ANCHOR: function
// Returns whether a[i] and b[i] differ by at most limit for every i.
bool close(const float* a, const float* b, int n, float limit) {
    size_t bytes = n * sizeof(float);
    float *d_a, *d_b;
    cudaMalloc(&d_a, bytes);
    cudaMalloc(&d_b, bytes);
    cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b, bytes, cudaMemcpyHostToDevice);

    distances<<<(n + 255) / 256, 256>>>(d_a, d_b, n);  // overwrites d_a
    std::vector<float> distance(n);
    cudaMemcpy(distance.data(), d_a, bytes, cudaMemcpyDeviceToHost);
    for (float d : distance) {
        if (d > limit) {
            return false;  // leaves without freeing d_a and d_b
        }
    }

    cudaFree(d_a);
    cudaFree(d_b);
    return true;
}
// ANCHOR_END: function

int main() {
    float a[3] = {1.0f, 2.0f, 3.0f};
    float b[3] = {1.0f, 2.5f, 3.0f};
    int matches = 0;
    for (int round = 0; round < 100; ++round) {
        matches += close(a, b, 3, 0.01f * round);
    }
    printf("%d of 100 comparisons say yes\n", matches);
}
