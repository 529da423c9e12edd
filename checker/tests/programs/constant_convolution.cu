// A separable filter with its weights in constant memory, changed between two launches.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                     \
    do {                                                                                \
        const cudaError_t code = (call);                                                \
        if (code != cudaSuccess) {                                                      \
            printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(code));        \
            exit(1);                                                                    \
        }                                                                               \
    } while (0)

constexpr int RADIUS = 4, WIDTH = 2 * RADIUS + 1, BLOCK = 128;

__constant__ int weights[WIDTH];

__global__ void convolve(const int* in, int* out, int n) {
    __shared__ int tile[BLOCK + 2 * RADIUS];
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    for (int t = threadIdx.x; t < BLOCK + 2 * RADIUS; t += BLOCK) {
        const int at = static_cast<int>(blockIdx.x) * BLOCK + t - RADIUS;
        tile[t] = at >= 0 && at < n ? in[at] : 0;
    }
    __syncthreads();
    if (i < n) {
        int sum = 0;
        for (int k = 0; k < WIDTH; ++k) {
            sum += weights[k] * tile[threadIdx.x + k];
        }
        out[i] = sum;
    }
}

int main() {
    const int n = 3001;
    std::vector<int> host(n), result(n);
    for (int i = 0; i < n; ++i) {
        host[i] = (i * i) % 97;
    }
    int *in, *out;
    CHECK(cudaMalloc(&in, n * sizeof(int)));
    CHECK(cudaMalloc(&out, n * sizeof(int)));
    CHECK(cudaMemcpy(in, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    const int filters[2][WIDTH] = {{1, 2, 3, 4, 5, 4, 3, 2, 1}, {0, -1, 0, 2, -2, 2, 0, -1, 0}};
    for (const auto& filter : filters) {
        CHECK(cudaMemcpyToSymbol(weights, filter, sizeof filter));
        convolve<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(result.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost));
        int right = 0;
        for (int i = 0; i < n; ++i) {
            int sum = 0;
            for (int k = 0; k < WIDTH; ++k) {
                const int at = i + k - RADIUS;
                sum += at >= 0 && at < n ? filter[k] * host[at] : 0;
            }
            right += sum == result[i];
        }
        printf("%d of %d right, first %d, last %d\n", right, n, result[0], result[n - 1]);
    }
    // one weight alone
    const int centre = 100;
    int back[WIDTH];
    CHECK(cudaMemcpyToSymbol(weights, &centre, sizeof centre, RADIUS * sizeof(int)));
    CHECK(cudaMemcpyFromSymbol(back, weights, sizeof back));
    for (int w : back) {
        printf("%d ", w);
    }
    printf("\n");
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}
