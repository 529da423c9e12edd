// Times the exercises of chapter 13 at sizes that are large enough to reach a limit, beside that limit:
// a copy, CUB's scan, and cuBLAS without tensor cores, all in one run.
//
//     nvcc -O3 -std=c++17 -arch=native -o ladder checker/proof/records/ladder.cu -lcublas && ./ladder
//
// Each time is the median of 20 launches after a first one, each between two events.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cub/device/device_scan.cuh>
#include <cublas_v2.h>
#include <cuda/atomic>
#include <cuda_pipeline.h>

namespace original {
#define transpose_bytes transpose_bytes_original
#define reduce_bandwidth reduce_bandwidth_original
#define histogram_bytes histogram_bytes_original
#define scan_lookback scan_lookback_original
#define async_copy async_copy_original
#define matmul_registers matmul_registers_original
#define matmul_async matmul_async_original
namespace transposed {
#include "../originals/ch13_speed/transpose_bytes.cu"
}
namespace reduced {
#include "../originals/ch13_speed/reduce_bandwidth.cu"
}
namespace counted {
#include "../originals/ch13_speed/histogram_bytes.cu"
}
namespace filtered {
#include "../originals/ch13_speed/async_copy.cu"
}
namespace product {
#include "../originals/ch13_speed/matmul_registers.cu"
}
namespace buffered {
#include "../originals/ch13_speed/matmul_async.cu"
}
#undef transpose_bytes
#undef reduce_bandwidth
#undef histogram_bytes
#undef scan_lookback
#undef async_copy
#undef matmul_registers
#undef matmul_async
}  // namespace original

namespace solution {
namespace transposed {
#include "../../../solutions/ch13_speed/transpose_bytes.cu"
}
namespace reduced {
#include "../../../solutions/ch13_speed/reduce_bandwidth.cu"
}
namespace counted {
#include "../../../solutions/ch13_speed/histogram_bytes.cu"
}
namespace scanned {
#include "../../../solutions/ch13_speed/scan_lookback.cu"
}
namespace filtered {
#include "../../../solutions/ch13_speed/async_copy.cu"
}
namespace product {
#include "../../../solutions/ch13_speed/matmul_registers.cu"
}
namespace buffered {
#include "../../../solutions/ch13_speed/matmul_async.cu"
}
}  // namespace solution

void check(cudaError_t status) {
    if (status != cudaSuccess) {
        printf("%s\n", cudaGetErrorString(status));
        exit(1);
    }
}

// The median time of `launch` in milliseconds.
template <typename Launch> double time_of(Launch launch) {
    launch();
    std::vector<float> times(20);
    cudaEvent_t start, end;
    check(cudaEventCreate(&start));
    check(cudaEventCreate(&end));
    for (float& time : times) {
        check(cudaEventRecord(start));
        launch();
        check(cudaEventRecord(end));
        check(cudaEventSynchronize(end));
        check(cudaEventElapsedTime(&time, start, end));
    }
    check(cudaGetLastError());
    std::sort(times.begin(), times.end());
    return (times[9] + times[10]) / 2;
}

__global__ void scramble(unsigned* words, size_t n) {
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const unsigned bits = unsigned(i) * 2654435761u;
        words[i] = (bits ^ bits >> 15) & 0x3f7fffffu;  // as a float, less than 1 and not negative
    }
}

__global__ void copy_float4(const float4* in, float4* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[i];
    }
}

// Returns an array on the device that contains scrambled bits.
template <typename T> T* filled(size_t n) {
    T* array = nullptr;
    check(cudaMalloc(&array, n * sizeof(T)));
    scramble<<<1024, 256>>>(reinterpret_cast<unsigned*>(array), n * sizeof(T) / 4);
    return array;
}

double copy_rate;  // bytes in a millisecond, reads and writes together

void share(const char* what, double bytes, double milliseconds) {
    printf("%-56s %8.3f ms  %5.1f %% of the copy\n", what, milliseconds, 100 * bytes / milliseconds / copy_rate);
}

void copies() {
    const int n = 1 << 26;
    float *in = filled<float>(n), *out = filled<float>(n);
    const double memcpy_time =
        time_of([&] { check(cudaMemcpyAsync(out, in, n * 4ull, cudaMemcpyDeviceToDevice)); });
    const double kernel_time = time_of([&] {
        copy_float4<<<n / 4 / 256, 256>>>(reinterpret_cast<float4*>(in), reinterpret_cast<float4*>(out), n / 4);
    });
    const double best = std::min(memcpy_time, kernel_time);
    copy_rate = 8.0 * n / best;
    printf("%-56s %8.3f ms  %.0f GB/s\n", "copy of 67108864 floats", best, copy_rate * 1e-6);
    check(cudaFree(in));
    check(cudaFree(out));
}

void transposes() {
    const int rows = 16384, cols = 32768;
    auto *in = filled<unsigned char>(size_t(rows) * cols), *out = filled<unsigned char>(size_t(rows) * cols);
    const dim3 grid(cols / 128, rows / 256);
    const double bytes = 2.0 * rows * cols;
    share("transpose_bytes, 16384 x 32768, original", bytes,
          time_of([&] { original::transposed::transpose_bytes_original<<<grid, 512>>>(in, out, rows, cols); }));
    share("transpose_bytes, 16384 x 32768, solution", bytes,
          time_of([&] { solution::transposed::transpose_bytes<<<grid, 512>>>(in, out, rows, cols); }));
    check(cudaFree(in));
    check(cudaFree(out));
}

void reductions(int n, int multiprocessors) {
    float *in = filled<float>(n), *total = filled<float>(1);
    char text[80];
    snprintf(text, sizeof(text), "reduce_bandwidth, %d floats, original", n);
    share(text, 4.0 * n, time_of([&] { original::reduced::reduce_bandwidth_original<<<2 * multiprocessors, 256>>>(in, total, n); }));
    snprintf(text, sizeof(text), "reduce_bandwidth, %d floats, solution", n);
    share(text, 4.0 * n, time_of([&] { solution::reduced::reduce_bandwidth<<<2 * multiprocessors, 256>>>(in, total, n); }));
    check(cudaFree(in));
    check(cudaFree(total));
}

void histograms(int n, int multiprocessors) {
    auto* in = filled<unsigned char>(n);
    auto* bins = filled<unsigned>(256);
    char text[80];
    snprintf(text, sizeof(text), "histogram_bytes, %d bytes, original", n);
    share(text, n, time_of([&] { original::counted::histogram_bytes_original<<<4 * multiprocessors, 512>>>(in, bins, n); }));
    snprintf(text, sizeof(text), "histogram_bytes, %d bytes, solution", n);
    share(text, n, time_of([&] { solution::counted::histogram_bytes<<<4 * multiprocessors, 512>>>(in, bins, n); }));
    check(cudaFree(in));
    check(cudaFree(bins));
}

void scans() {
    using namespace solution::scanned;
    const int n = 1 << 28, tiles = (n + TILE - 1) / TILE;
    int *in = filled<int>(n), *out = filled<int>(n), *next = filled<int>(1);
    State* states;
    check(cudaMalloc(&states, tiles * sizeof(State)));
    size_t bytes = 0;
    check(cub::DeviceScan::InclusiveSum(nullptr, bytes, in, out, n));
    void* temporary;
    check(cudaMalloc(&temporary, bytes));
    const double cub_time = time_of([&] { check(cub::DeviceScan::InclusiveSum(temporary, bytes, in, out, n)); });
    share("cub::DeviceScan, 268435456 integers", 8.0 * n, cub_time);
    const double time = time_of([&] {
        check(cudaMemsetAsync(states, 0, tiles * sizeof(State)));
        check(cudaMemsetAsync(next, 0, sizeof(int)));
        scan_tiles<<<tiles, THREADS>>>(in, out, states, next, n);
    });
    share("scan_lookback, solution", 8.0 * n, time);
    printf("%-56s %18.1f %% of CUB\n", "", 100 * cub_time / time);
    for (void* array : {static_cast<void*>(in), static_cast<void*>(out), static_cast<void*>(next), static_cast<void*>(states), temporary}) {
        check(cudaFree(array));
    }
}

void filters(int multiprocessors) {
    const int n = 1 << 27;
    float *in = filled<float>(n + 32), *out = filled<float>(n);
    share("async_copy, 134217728 results, original", 8.0 * n,
          time_of([&] { original::filtered::async_copy_original<<<2 * multiprocessors, 256>>>(in, out, n); }));
    share("async_copy, 134217728 results, solution", 8.0 * n,
          time_of([&] { solution::filtered::async_copy<<<2 * multiprocessors, 256>>>(in, out, n); }));
    check(cudaFree(in));
    check(cudaFree(out));
}

void products() {
    const int n = 4096;
    float *a = filled<float>(n * n), *b = filled<float>(n * n), *c = filled<float>(n * n);
    cublasHandle_t handle;
    cublasCreate(&handle);
    cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH);
    const float one = 1, zero = 0;
    const double library = time_of([&] {
        cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b, n, a, n, &zero, c, n);
    });
    printf("%-56s %8.3f ms  %.2f TFLOP/s\n", "cuBLAS, 4096 x 4096 floats", library, 2e-9 * n * n * n / library);
    auto row = [&](const char* what, double time) {
        printf("%-56s %8.3f ms  %5.1f %% of cuBLAS\n", what, time, 100 * library / time);
    };
    const dim3 grid(n / 128, n / 128);
    row("matmul_registers, solution", time_of([&] { solution::product::multiply<<<grid, 256>>>(a, b, c, n, n, n); }));
    row("matmul_async, original", time_of([&] { original::buffered::matmul_async_original<<<grid, 256>>>(a, b, c, n, n, n); }));
    row("matmul_async, solution", time_of([&] { solution::buffered::matmul_async<<<grid, 256>>>(a, b, c, n, n, n); }));
}

int main() {
    cudaDeviceProp card;
    check(cudaGetDeviceProperties(&card, 0));
    puts(card.name);
    copies();
    transposes();
    reductions(1 << 26, card.multiProcessorCount);
    reductions(1 << 28, card.multiProcessorCount);
    histograms(1 << 28, card.multiProcessorCount);
    histograms(1 << 30, card.multiProcessorCount);
    scans();
    filters(card.multiProcessorCount);
    products();
}
