#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                         \
    do {                                                                                    \
        const cudaError_t error = (call);                                                   \
        if (error != cudaSuccess) {                                                         \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));  \
            exit(1);                                                                        \
        }                                                                                   \
    } while (0)

__global__ void double_array(float* a) {
    const int idx = threadIdx.y * blockDim.x + threadIdx.x;
    a[idx] *= 2.0f;
}

int main() {
    float a[3][5];
    for (int i = 0; i < 15; ++i) {
        a[i / 5][i % 5] = i;
    }
    float* d_a;
    CHECK(cudaMalloc(&d_a, sizeof a));
    CHECK(cudaMemcpy(d_a, a, sizeof a, cudaMemcpyHostToDevice));

    double_array<<<dim3(1, 1), dim3(5, 3)>>>(d_a);
    CHECK(cudaGetLastError());

    CHECK(cudaMemcpy(a, d_a, sizeof a, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_a));
    for (const auto& row : a) {
        for (const float value : row) {
            printf("%4.0f", value);
        }
        printf("\n");
    }
}
