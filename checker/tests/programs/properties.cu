// The properties of the device must be consistent, whichever device it is.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CHECK(call)                                                                     \
    do {                                                                                \
        const cudaError_t code = (call);                                                \
        if (code != cudaSuccess) {                                                      \
            printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(code));        \
            exit(1);                                                                    \
        }                                                                               \
    } while (0)

static int attribute(cudaDeviceAttr which) {
    int value = -1;
    CHECK(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

int main() {
    int count = 0, chosen = -1, current = -1, driver = 0, runtime = 0;
    CHECK(cudaGetDeviceCount(&count));
    CHECK(cudaGetDevice(&current));
    CHECK(cudaDriverGetVersion(&driver));
    CHECK(cudaRuntimeGetVersion(&runtime));
    printf("devices: %d, current %d, runtime %d, driver new enough: %d\n", count > 0, current, runtime, driver >= runtime);
    cudaDeviceProp p;
    memset(&p, 0xff, sizeof p);
    CHECK(cudaGetDeviceProperties(&p, 0));
    CHECK(cudaChooseDevice(&chosen, &p));
    printf("named: %d, chosen %d\n", p.name[0] != 0 && strlen(p.name) < sizeof p.name, chosen);
    printf("warp %d, threads per block %d, dimensions %d %d %d\n", p.warpSize, p.maxThreadsPerBlock, p.maxThreadsDim[0],
           p.maxThreadsDim[1], p.maxThreadsDim[2]);
    printf("grid %d %d %d\n", p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2]);
    printf("shared memory %zu, constant memory %zu, registers %d\n", p.sharedMemPerBlock, p.totalConstMem, p.regsPerBlock);
    printf("attributes agree: %d %d %d %d %d %d\n", attribute(cudaDevAttrWarpSize) == p.warpSize,
           attribute(cudaDevAttrMultiProcessorCount) == p.multiProcessorCount, attribute(cudaDevAttrComputeCapabilityMajor) == p.major,
           attribute(cudaDevAttrComputeCapabilityMinor) == p.minor,
           static_cast<size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)) == p.sharedMemPerBlockOptin,
           static_cast<size_t>(attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor)) == p.sharedMemPerMultiprocessor);
    size_t free = 0, total = 0, then = 0;
    CHECK(cudaMemGetInfo(&free, &total));
    int* some;
    CHECK(cudaMalloc(&some, 64 << 20));
    CHECK(cudaMemGetInfo(&then, &total));
    printf("memory agrees: %d, some is used: %d, less is free: %d\n", total == p.totalGlobalMem, free <= total, free - then >= 64 << 20);
    CHECK(cudaFree(some));
    size_t stack = 0, fifo = 0, heap = 0;
    CHECK(cudaDeviceGetLimit(&stack, cudaLimitStackSize));
    CHECK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    CHECK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 2 << 20));
    printf("stack %zu, heap %zu", stack, heap);
    CHECK(cudaDeviceGetLimit(&stack, cudaLimitStackSize));
    CHECK(cudaDeviceGetLimit(&fifo, cudaLimitPrintfFifoSize));
    printf("; then stack %zu, printf's buffer %d\n", stack, fifo >= 2 << 20);
    cudaFuncCache cache;
    CHECK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    CHECK(cudaDeviceGetCacheConfig(&cache));
    printf("cache %d\n", cache);
    int peer = -1;
    CHECK(cudaDeviceCanAccessPeer(&peer, 0, 0));
    char bus[32] = "";
    CHECK(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    CHECK(cudaDeviceGetByPCIBusId(&chosen, bus));
    printf("peer of itself: %d, by its bus: %d\n", peer, chosen);
    cudaError_t alone = cudaDeviceGetP2PAttribute(&peer, cudaDevP2PAttrAccessSupported, 0, 0);
    printf("peers need two devices: %s\n", cudaGetErrorName(alone));
    CHECK(cudaDeviceReset());
    CHECK(cudaDeviceGetLimit(&stack, cudaLimitStackSize));
    printf("after a reset: stack %zu\n", stack);
}
