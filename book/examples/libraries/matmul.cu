// Multiplies two square matrices with a thread per element, with tiles, and with cuBLAS.
//     nvcc -O3 -std=c++17 -arch=native -lcublas -o matmul matmul.cu && ./matmul 4096
#include <cstdio>
#include <cstdlib>
#include <cublas_v2.h>
#include <vector>

#define CHECK(call)                                                                         \
    do {                                                                                    \
        const cudaError_t error = (call);                                                   \
        if (error != cudaSuccess) {                                                         \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));  \
            exit(1);                                                                        \
        }                                                                                   \
    } while (0)

constexpr int TILE = 32;

// c [n][n] = a [n][n] times b [n][n]; n is a multiple of TILE, block = TILE x TILE.
__global__ void naive(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
    const size_t row = blockIdx.y * TILE + threadIdx.y;
    const size_t col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; ++k) {
        sum += a[row * n + k] * b[size_t(k) * n + col];
    }
    c[row * n + col] = sum;
}

__global__ void tiled(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    const size_t row = blockIdx.y * TILE + threadIdx.y;
    const size_t col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int first = 0; first < n; first += TILE) {
        tile_a[threadIdx.y][threadIdx.x] = a[row * n + first + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = b[size_t(first + threadIdx.y) * n + col];
        __syncthreads();  // between filling the tiles and reading them
        for (int k = 0; k < TILE; ++k) {
            sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        }
        __syncthreads();  // between reading the tiles and filling them again
    }
    c[row * n + col] = sum;
}

template <class Work>
float fastest(Work work) {
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    float best = 1e30f;
    for (int round = 0; round < 10; ++round) {
        CHECK(cudaEventRecord(start));
        work();
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(stop));
        CHECK(cudaEventSynchronize(stop));
        float millis;
        CHECK(cudaEventElapsedTime(&millis, start, stop));
        best = millis < best ? millis : best;
    }
    return best;
}

int main(int argc, char** argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 1024;
    if (n <= 0 || n % TILE != 0) {
        fprintf(stderr, "n must be a multiple of %d\n", TILE);
        return 2;
    }
    const size_t count = size_t(n) * n, bytes = count * sizeof(float);
    std::vector<float> a(count), b(count), c(count), right(count);
    for (size_t i = 0; i < count; ++i) {
        a[i] = rand() / float(RAND_MAX) - 0.5f;
        b[i] = rand() / float(RAND_MAX) - 0.5f;
    }
    float *d_a, *d_b, *d_c;
    CHECK(cudaMalloc(&d_a, bytes));
    CHECK(cudaMalloc(&d_b, bytes));
    CHECK(cudaMalloc(&d_c, bytes));
    CHECK(cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice));
    cublasHandle_t blas;
    if (cublasCreate(&blas) != CUBLAS_STATUS_SUCCESS) {
        fprintf(stderr, "no cuBLAS\n");
        return 1;
    }
    const float one = 1.0f, zero = 0.0f;
    const dim3 block(TILE, TILE), grid(n / TILE, n / TILE);

    // cuBLAS stores matrices column by column, so its c = b times a is our c = a times b.
    const float library = fastest([&] {
        cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, d_b, n, d_a, n, &zero, d_c, n);
    });
    CHECK(cudaMemcpy(right.data(), d_c, bytes, cudaMemcpyDeviceToHost));
    const auto tell = [&](const char* name, float millis) {
        CHECK(cudaMemcpy(c.data(), d_c, bytes, cudaMemcpyDeviceToHost));
        float worst = 0.0f;
        for (size_t i = 0; i < count; ++i) {
            worst = fmaxf(worst, fabsf(c[i] - right[i]));
        }
        printf("%-8s %9.3f ms %8.2f TFLOP/s   differs by at most %.1e\n", name, millis,
               2.0 * n * n * n / (millis * 1e9), worst);
    };
    tell("cuBLAS", library);
    tell("naive", fastest([&] { naive<<<grid, block>>>(d_a, d_b, d_c, n); }));
    tell("tiled", fastest([&] { tiled<<<grid, block>>>(d_a, d_b, d_c, n); }));
    cublasDestroy(blas);
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
    CHECK(cudaFree(d_c));
}
