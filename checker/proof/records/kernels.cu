// Times the kernels that the book compares: originals and solutions of exercises, and others.
//
//     nvcc -O3 -arch=native -o kernels checker/proof/records/kernels.cu && ./kernels
//
// Each line has the median of nine launches after a first one, each between two events.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace original {
#define reduce_tree reduce_tree_original
#define stencil_1d stencil_1d_original
#define float4_align float4_align_original
namespace tree {
#include "../originals/ch06_atomics/reduce_tree.cu"
}
namespace stencil {
#include "../originals/ch04_shared/stencil_1d.cu"
}
namespace wide {
#include "../originals/ch03_coalescing/float4_align.cu"
}
#undef reduce_tree
#undef stencil_1d
#undef float4_align
}  // namespace original

namespace solution {
namespace tree {
#include "../../../solutions/ch06_atomics/reduce_tree.cu"
}
namespace stencil {
#include "../../../solutions/ch04_shared/stencil_1d.cu"
}
namespace wide {
#include "../../../solutions/ch03_coalescing/float4_align.cu"
}
namespace pixels {
#include "../../../solutions/ch09_images/rgb_to_gray.cu"
}
namespace transpose {
#include "../../../solutions/ch04_shared/bank_conflicts.cu"
}
namespace product {
#include "../../../solutions/ch04_shared/matmul_tiled.cu"
}
namespace structs {
#include "../../../solutions/ch03_coalescing/structs_soa.cu"
}
}  // namespace solution

void check(cudaError_t status) {
    if (status != cudaSuccess) {
        printf("%s\n", cudaGetErrorString(status));
        exit(1);
    }
}

// Prints the median time of `launch` in milliseconds.
template <typename Launch> void time_of(const char* what, Launch launch) {
    launch();
    std::vector<float> times(9);
    for (float& time : times) {
        cudaEvent_t start, end;
        check(cudaEventCreate(&start));
        check(cudaEventCreate(&end));
        check(cudaEventRecord(start));
        launch();
        check(cudaEventRecord(end));
        check(cudaEventSynchronize(end));
        check(cudaEventElapsedTime(&time, start, end));
        check(cudaEventDestroy(start));
        check(cudaEventDestroy(end));
    }
    check(cudaGetLastError());
    std::sort(times.begin(), times.end());
    printf("%-60s %.3f ms\n", what, times[4]);
}

__global__ void scramble(unsigned* words, size_t n) {
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const unsigned bits = unsigned(i) * 2654435761u;
        words[i] = (bits ^ bits >> 15) & 0x3f7fffffu;  // as a float, less than 1 and not negative
    }
}

// Returns an array on the device that contains scrambled bits.
template <typename T> T* filled(size_t n) {
    T* array = nullptr;
    check(cudaMalloc(&array, n * sizeof(T)));
    scramble<<<1024, 256>>>(reinterpret_cast<unsigned*>(array), n * sizeof(T) / 4);
    return array;
}

// The third tree for each of a block's eight tiles.
__global__ void third_trees(const float* in, float* out, int n) {
    __shared__ float tile[256];
    const int tid = threadIdx.x;
    const int first = blockIdx.x * 8 * 256 + tid;
    float sum = 0.0f;
    for (int k = 0; k < 8; ++k) {
        const int idx = first + k * 256;
        tile[tid] = idx < n ? in[idx] : 0.0f;
        __syncthreads();
        for (int stride = 128; stride > 0; stride /= 2) {
            if (tid < stride) {
                tile[tid] += tile[tid + stride];
            }
            __syncthreads();
        }
        sum += tile[0];
        __syncthreads();
    }
    if (tid == 0) {
        out[blockIdx.x] = sum;
    }
}

using solution::pixels::luma;

__global__ void one_pixel(const unsigned char* __restrict__ rgb, unsigned char* __restrict__ gray,
                          int n) {
    const int idx = blockIdx.x * 256 + threadIdx.x;
    if (idx < n) {
        gray[idx] = luma(rgb[3 * idx], rgb[3 * idx + 1], rgb[3 * idx + 2]);
    }
}

// One pixel for each thread, through shared memory; n is a multiple of 256.
__global__ void one_pixel_of_words(const unsigned char* __restrict__ rgb,
                                   unsigned char* __restrict__ gray, int n) {
    __shared__ uchar4 words[192];
    const int tid = threadIdx.x;
    const int idx = blockIdx.x * 256 + tid;
    const int pixels = min(256, n - (idx - tid));
    if (tid < 3 * pixels / 4) {
        words[tid] = reinterpret_cast<const uchar4*>(rgb + 3 * (idx - tid))[tid];
    }
    __syncthreads();
    if (idx < n) {
        const unsigned char* pixel = reinterpret_cast<const unsigned char*>(words) + 3 * tid;
        gray[idx] = luma(pixel[0], pixel[1], pixel[2]);
    }
}

// Four neighbouring pixels for each thread, without shared memory; n is a multiple of 4.
__global__ void three_words(const uchar4* __restrict__ rgb, uchar4* __restrict__ gray, int n) {
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (4 * i < n) {
        const uchar4 a = rgb[3 * i];
        const uchar4 b = rgb[3 * i + 1];
        const uchar4 c = rgb[3 * i + 2];
        gray[i] = make_uchar4(luma(a.x, a.y, a.z), luma(a.w, b.x, b.y), luma(b.z, b.w, c.x),
                              luma(c.y, c.z, c.w));
    }
}

// A tile without bank conflicts, and one thread for each of its elements.
__global__ void large_blocks(const float* in, float* out, int rows, int cols) {
    __shared__ float tile[32][33];
    const int row = blockIdx.y * 32 + threadIdx.y;
    const int col = blockIdx.x * 32 + threadIdx.x;
    if (row < rows && col < cols) {
        tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
    }
    __syncthreads();
    const int out_row = blockIdx.x * 32 + threadIdx.y;
    const int out_col = blockIdx.y * 32 + threadIdx.x;
    if (out_row < cols && out_col < rows) {
        out[out_row * rows + out_col] = tile[threadIdx.x][threadIdx.y];
    }
}

struct Small {
    float x, y, z;
};

__global__ void turn_structs(Small* points, float c, float s, float lift, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        const float x = points[idx].x;
        const float y = points[idx].y;
        points[idx].x = c * x - s * y;
        points[idx].y = s * x + c * y;
        points[idx].z += lift;
    }
}

// Tiles of 16 x 16 elements; each of 16 x 4 threads computes four elements of a column of c. All
// sizes are multiples of 16.
__global__ void four_elements(const float* a, const float* b, float* c, int inner, int cols) {
    __shared__ float a_tile[16][16];
    __shared__ float b_tile[16][16];
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int top = blockIdx.y * 16;
    const int col = blockIdx.x * 16 + tx;
    float acc[4] = {};
    for (int first = 0; first < inner; first += 16) {
        for (int r = 0; r < 4; ++r) {
            const int y = ty + 4 * r;
            a_tile[y][tx] = a[(top + y) * inner + first + tx];
            b_tile[y][tx] = b[(first + y) * cols + col];
        }
        __syncthreads();
        for (int k = 0; k < 16; ++k) {
            const float of_b = b_tile[k][tx];
            for (int r = 0; r < 4; ++r) {
                acc[r] += a_tile[ty + 4 * r][k] * of_b;
            }
        }
        __syncthreads();
    }
    for (int r = 0; r < 4; ++r) {
        c[(top + ty + 4 * r) * cols + col] = acc[r];
    }
}

int main() {
    cudaDeviceProp device;
    check(cudaGetDeviceProperties(&device, 0));
    printf("%s\n", device.name);
    float* in = filled<float>(1 << 26);
    float* out = filled<float>(1 << 26);
    float* other = filled<float>(1 << 25);
    char what[80];

    const int n = 1 << 26;
    time_of("reduce_tree, original", [&] {
        original::tree::reduce_tree_original<<<n / 2048, 256>>>(in, out, n);
    });
    time_of("reduce_tree, third tree for each tile", [&] {
        third_trees<<<n / 2048, 256>>>(in, out, n);
    });
    time_of("reduce_tree, solution", [&] {
        solution::tree::reduce_tree<<<n / 2048, 256>>>(in, out, n);
    });

    for (int radius : {3, 8, 16, 32, 64}) {
        const int m = 1 << 24;
        const size_t shared = (256 + 2 * radius) * sizeof(float);
        snprintf(what, sizeof what, "stencil_1d, radius %d, original", radius);
        time_of(what, [&] { original::stencil::sum_around<<<m / 256, 256>>>(in, out, m, radius); });
        snprintf(what, sizeof what, "stencil_1d, radius %d, solution", radius);
        time_of(what, [&] {
            solution::stencil::sum_around<<<m / 256, 256, shared>>>(in, out, m, radius);
        });
    }

    for (int blocks : {264, 1056}) {
        const int m = 1 << 25;
        snprintf(what, sizeof what, "float4_align, %d blocks, original", blocks);
        time_of(what, [&] {
            original::wide::float4_align_original<<<blocks, 256>>>(1.5f, in, other, out, 0, m);
        });
        snprintf(what, sizeof what, "float4_align, %d blocks, solution", blocks);
        time_of(what, [&] {
            solution::wide::float4_align<<<blocks, 256>>>(1.5f, in, other, out, 0, m);
        });
    }

    const auto* rgb = reinterpret_cast<const unsigned char*>(in);
    auto* gray = reinterpret_cast<unsigned char*>(out);
    time_of("rgb_to_gray, one pixel for each thread", [&] {
        one_pixel<<<n / 256, 256>>>(rgb, gray, n);
    });
    time_of("rgb_to_gray, one pixel for each thread, words in a tile", [&] {
        one_pixel_of_words<<<n / 256, 256>>>(rgb, gray, n);
    });
    time_of("rgb_to_gray, solution", [&] {
        solution::pixels::rgb_to_gray<<<n / 1024, 256>>>(rgb, gray, n);
    });
    time_of("rgb_to_gray, three words for each thread", [&] {
        three_words<<<n / 1024, 256>>>(reinterpret_cast<const uchar4*>(rgb),
                                       reinterpret_cast<uchar4*>(gray), n);
    });

    const dim3 tiles(8192 / 32, 4096 / 32);
    time_of("transpose, 32 x 32 threads, no conflicts", [&] {
        large_blocks<<<tiles, dim3(32, 32)>>>(in, out, 4096, 8192);
    });
    time_of("transpose, 32 x 8 threads, no conflicts", [&] {
        solution::transpose::bank_conflicts<<<tiles, dim3(32, 8)>>>(in, out, 4096, 8192);
    });

    const int points = 1 << 22;
    const solution::structs::Points fields = {out, out + points, out + 2 * points};
    time_of("turn, structs of x, y and z", [&] {
        turn_structs<<<points / 256, 256>>>(
            reinterpret_cast<Small*>(out), 0.9f, 0.1f, 1.0f, points);
    });
    time_of("turn, an array for each of x, y and z", [&] {
        solution::structs::turn<<<points / 256, 256>>>(fields, 0.9f, 0.1f, 1.0f, points);
    });

    const dim3 blocks(4096 / 16, 2048 / 16);
    time_of("matmul_tiled, solution", [&] {
        solution::product::matmul_tiled<<<blocks, dim3(16, 16)>>>(in, other, out, 2048, 1024, 4096);
    });
    time_of("matmul_tiled, four elements for each thread", [&] {
        four_elements<<<blocks, dim3(16, 4)>>>(in, other, out, 1024, 4096);
    });

    check(cudaDeviceSynchronize());
}
