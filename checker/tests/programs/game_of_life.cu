// Conway's Game of Life on a torus. A glider returns to its first position.
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#define CHECK(call)                                                                     \
    do {                                                                                \
        const cudaError_t code = (call);                                                \
        if (code != cudaSuccess) {                                                      \
            printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(code));        \
            exit(1);                                                                    \
        }                                                                               \
    } while (0)

constexpr int N = 24;

__global__ void generation(const unsigned char* now, unsigned char* next) {
    __shared__ unsigned char tile[10][10];
    const int left = blockIdx.x * 8 - 1, top = blockIdx.y * 8 - 1;
    for (int i = threadIdx.y * 8 + threadIdx.x; i < 100; i += 64) {
        const int x = (left + i % 10 + N) % N, y = (top + i / 10 + N) % N;
        tile[i / 10][i % 10] = now[y * N + x];
    }
    __syncthreads();
    int neighbours = 0;
    for (int dy = 0; dy < 3; ++dy) {
        for (int dx = 0; dx < 3; ++dx) {
            neighbours += (dx != 1 || dy != 1) && tile[threadIdx.y + dy][threadIdx.x + dx];
        }
    }
    const bool alive = tile[threadIdx.y + 1][threadIdx.x + 1];
    next[(top + 1 + threadIdx.y) * N + left + 1 + threadIdx.x] = neighbours == 3 || (alive && neighbours == 2);
}

static void print(const std::vector<unsigned char>& cells) {
    for (int y = 0; y < 6; ++y) {
        for (int x = 0; x < N; ++x) {
            putchar(cells[y * N + x] ? '#' : '.');
        }
        putchar('\n');
    }
}

int main() {
    std::vector<unsigned char> start(N * N, 0), cells(N * N);
    for (const auto& [x, y] : {std::pair{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}}) {
        start[y * N + x] = 1;
    }
    unsigned char *now, *next;
    CHECK(cudaMalloc(&now, N * N));
    CHECK(cudaMalloc(&next, N * N));
    CHECK(cudaMemcpy(now, start.data(), N * N, cudaMemcpyHostToDevice));
    for (int g = 1; g <= 4 * N; ++g) {
        generation<<<dim3(N / 8, N / 8), dim3(8, 8)>>>(now, next);
        std::swap(now, next);
        if (g == 5 || g == 4 * N) {
            CHECK(cudaMemcpy(cells.data(), now, N * N, cudaMemcpyDeviceToHost));
            printf("generation %d\n", g);
            print(cells);
        }
    }
    CHECK(cudaGetLastError());
    printf("back again: %d\n", cells == start);
    CHECK(cudaFree(now));
    CHECK(cudaFree(next));
}
