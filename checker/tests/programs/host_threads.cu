// Four threads of the host, each with its own stream and its own errors.
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#define CHECK(call)                                                                     \
    do {                                                                                \
        const cudaError_t code = (call);                                                \
        if (code != cudaSuccess) {                                                      \
            printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(code));        \
            exit(1);                                                                    \
        }                                                                               \
    } while (0)

__global__ void collatz(const int* start, int* steps, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        long long x = start[i];
        int count = 0;
        while (x != 1) {
            x = x % 2 == 0 ? x / 2 : 3 * x + 1;
            ++count;
        }
        steps[i] = count;
    }
}

struct Outcome {
    int most;
    cudaError_t before, after;
};

static void work(int thread, Outcome* outcome) {
    const int n = 500;
    CHECK(cudaSetDevice(0));
    int *host, *start, *steps;
    CHECK(cudaMallocHost(&host, n * sizeof(int)));
    CHECK(cudaMalloc(&start, n * sizeof(int)));
    CHECK(cudaMalloc(&steps, n * sizeof(int)));
    for (int i = 0; i < n; ++i) {
        host[i] = thread * n + i + 1;
    }
    outcome->before = cudaPeekAtLastError();
    if (thread == 2) {
        (void)cudaSetDevice(99);
    }
    CHECK(cudaMemcpyAsync(start, host, n * sizeof(int), cudaMemcpyHostToDevice, cudaStreamPerThread));
    collatz<<<(n + 63) / 64, 64, 0, cudaStreamPerThread>>>(start, steps, n);
    CHECK(cudaMemcpyAsync(host, steps, n * sizeof(int), cudaMemcpyDeviceToHost, cudaStreamPerThread));
    CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    outcome->most = 0;
    for (int i = 0; i < n; ++i) {
        outcome->most = host[i] > outcome->most ? host[i] : outcome->most;
    }
    outcome->after = cudaGetLastError();
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(start));
    CHECK(cudaFree(steps));
}

int main() {
    std::vector<Outcome> outcomes(4);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back(work, t, &outcomes[t]);
    }
    for (std::thread& t : threads) {
        t.join();
    }
    for (int t = 0; t < 4; ++t) {
        printf("thread %d: most steps %d, errors %d %d\n", t, outcomes[t].most, outcomes[t].before, outcomes[t].after);
    }
    printf("main: %d\n", cudaGetLastError());
}
