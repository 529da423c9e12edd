// The attributes of pointers: the kind of memory, and the addresses on the host and on the device.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                     \
    do {                                                                                \
        const cudaError_t code = (call);                                                \
        if (code != cudaSuccess) {                                                      \
            printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(code));        \
            exit(1);                                                                    \
        }                                                                               \
    } while (0)

__device__ int variable[4];

static void tell(const char* what, const void* pointer) {
    cudaPointerAttributes a{};
    CHECK(cudaPointerGetAttributes(&a, pointer));
    const char* names[] = {"unregistered", "host", "device", "managed"};
    printf("%s: %s, device %d, device pointer %s, host pointer %s\n", what, names[a.type], a.device,
           a.devicePointer == pointer ? "the same" : a.devicePointer == nullptr ? "none" : "another",
           a.hostPointer == pointer ? "the same" : a.hostPointer == nullptr ? "none" : "another");
}

int main() {
    int on_stack = 0;
    int* heap = static_cast<int*>(malloc(1 << 16));
    int *device, *pinned, *ordered;
    void* symbol;
    CHECK(cudaMalloc(&device, 4096));
    CHECK(cudaMallocHost(&pinned, 4096));
    CHECK(cudaMallocAsync(&ordered, 4096, 0));
    CHECK(cudaGetSymbolAddress(&symbol, variable));
    tell("stack", &on_stack);
    tell("heap", heap);
    tell("device", device);
    tell("inside device", device + 100);
    tell("stream-ordered", ordered);
    tell("symbol", symbol);
    tell("page-locked", pinned);
    tell("inside page-locked", pinned + 100);
    CHECK(cudaHostRegister(heap, 1 << 16, cudaHostRegisterDefault));
    tell("registered", heap + 5);
    CHECK(cudaHostUnregister(heap));
    tell("unregistered", heap + 5);
    cudaPointerAttributes a{};
    printf("null: %s, type %d\n", cudaGetErrorName(cudaPointerGetAttributes(&a, nullptr)), a.type);
    CHECK(cudaFree(device));
    CHECK(cudaFreeAsync(ordered, 0));
    CHECK(cudaFreeHost(pinned));
    free(heap);
    CHECK(cudaDeviceSynchronize());
}
