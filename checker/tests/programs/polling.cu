// The host waits for the device without calling the runtime: it polls mapped memory that a kernel writes, a variable that
// a host function sets, and managed memory that kernels and the host change with atomic operations.
#include <atomic>
#include <cstdio>

__global__ void produce(int* data, int n, volatile int* ready) {
    for (int i = 0; i < n; ++i) data[i] = i * i;
    __threadfence_system();
    *ready = 1;
}

__global__ void count_up(int* counter) {
    atomicAdd_system(counter, 1);
}

__managed__ volatile int announced = 0;

__global__ void announce() {
    announced = 7;
}

static void set(void* flag) {
    static_cast<std::atomic<bool>*>(flag)->store(true);
}

int main() {
    const int n = 100;
    int *data, *ready;
    cudaHostAlloc(&data, n * sizeof(int), cudaHostAllocMapped);
    cudaHostAlloc(&ready, sizeof(int), cudaHostAllocMapped);
    *ready = 0;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    produce<<<1, 1, 0, stream>>>(data, n, ready);
    while (*static_cast<volatile int*>(ready) == 0) {}
    printf("data[99] is %d\n", data[n - 1]);

    std::atomic<bool> called{false};
    cudaLaunchHostFunc(stream, set, &called);
    while (!called) {}
    printf("the host function was called\n");

    int* counter;
    cudaMallocManaged(&counter, sizeof(int));
    *counter = 0;
    count_up<<<2, 32, 0, stream>>>(counter);
    for (int i = 0; i < 10; ++i) __atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(counter, __ATOMIC_SEQ_CST) != 74) {}
    printf("the counter reached %d\n", *counter);

    announce<<<1, 1, 0, stream>>>();
    while (announced == 0) {}
    printf("announced %d\n", announced);

    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    cudaFree(counter);
    cudaFreeHost(ready);
    cudaFreeHost(data);
}
