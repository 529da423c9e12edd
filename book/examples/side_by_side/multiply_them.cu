#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                         \
    do {                                                                                    \
        const cudaError_t error = (call);                                                   \
        if (error != cudaSuccess) {                                                         \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));  \
            exit(1);                                                                        \
        }                                                                                   \
    } while (0)

__global__ void multiply_them(float* dest, const float* a, const float* b) {
    const int i = threadIdx.x;
    dest[i] = a[i] * b[i];
}

int main() {
    constexpr int N = 400;
    std::vector<float> a(N), b(N), dest(N);
    for (int i = 0; i < N; ++i) {
        a[i] = rand() / float(RAND_MAX) - 0.5f;
        b[i] = rand() / float(RAND_MAX) - 0.5f;
    }
    const size_t bytes = N * sizeof(float);
    float *d_dest, *d_a, *d_b;
    CHECK(cudaMalloc(&d_dest, bytes));
    CHECK(cudaMalloc(&d_a, bytes));
    CHECK(cudaMalloc(&d_b, bytes));
    CHECK(cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice));

    multiply_them<<<1, N>>>(d_dest, d_a, d_b);
    CHECK(cudaGetLastError());

    CHECK(cudaMemcpy(dest.data(), d_dest, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_dest));
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
    float worst = 0.0f;
    for (int i = 0; i < N; ++i) {
        worst = std::fmax(worst, std::fabs(dest[i] - a[i] * b[i]));
    }
    printf("%.1f\n", worst);
}
