// The error codes of the CUDA runtime for mistakes, each in a new process, because an error can end the context.
// nvcc -std=c++17 -arch=native -o mistakes mistakes.cu && ./mistakes all > mistakes-GPU.tsv
//
// Columns: the number and the name of the mistake, the code that the call returned, and the codes of cudaGetLastError,
// cudaDeviceSynchronize and cudaMalloc(16) after it. With a number as its argument, the program makes only that mistake.
#include <sys/wait.h>
#include <unistd.h>

#include <cassert>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

__device__ int variable[16];
__constant__ int table[16];
static int plain_variable[16];

__global__ void fill(int* out, int value) { out[blockIdx.x * blockDim.x + threadIdx.x] = value; }
__global__ void nothing() {}
__global__ void __launch_bounds__(128) narrow(int* out) { out[threadIdx.x] = threadIdx.x; }
__global__ void large_static(int* out) {
    __shared__ int tile[8192];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
__global__ void dynamic(int* out) {
    extern __shared__ int tile[];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
// long enough for the host to query it before it is done
__global__ void slow(int* out) {
    for (int i = 0; i < 500; ++i) {
        __nanosleep(1000000);
    }
    *out = 1;
}
__global__ void trap() { __trap(); }
__global__ void failed_assertion(int n) { assert(n == 5); }
__global__ void far_away(int* out, long long index) { out[index] = 1; }
__global__ void read_far(int* out, const int* in, long long index) { *out = in[index]; }
__global__ void as_address(unsigned long long at) { *(int*)at = 1; }
__global__ void odd_address(char* bytes) { *(int*)(bytes + 1) = 1; }
__global__ void odd_vector(float* x) { *(float4*)(x + 1) = float4{1, 2, 3, 4}; }
__device__ __noinline__ int deep(int n, volatile int* stop) {
    volatile int frame[64];
    frame[n % 64] = n;
    return *stop == n ? n : deep(n + 1, stop) + frame[n % 64];
}
__global__ void recursion(int* out) { out[1] = deep(1, out); }
__global__ void heap(void** out, size_t bytes) { *out = malloc(bytes); }
__global__ void say() { printf("hello\n"); }
__global__ void fetch(cudaTextureObject_t texture, float* out) { *out = tex2D<float>(texture, 0.5f, 0.5f); }

static void on_host(void*) {}
static void CUDART_CB callback(cudaStream_t, cudaError_t, void*) {}
static int not_a_kernel(int x) { return x; }

// plain functions, because hundreds of std::function take long to compile; some have arguments
using Call = cudaError_t (*)();
using CallWith = cudaError_t (*)(int, int, int);
struct Mistake {
    std::string what;
    Call call;
    CallWith with;
    int numbers[3];
};
static std::vector<Mistake> mistakes;
static size_t current;
static void add(const std::string& what, Call call) { mistakes.push_back({what, call, nullptr, {}}); }
static void add(const std::string& what, int a, int b, int c, CallWith call) { mistakes.push_back({what, nullptr, call, {a, b, c}}); }

// What the mistakes need. It is created when it is first used, and any failure here ends the process.
static void must(cudaError_t code) {
    if (code != cudaSuccess) {
        printf("%zu\t%s\tnot prepared %d\n", current, mistakes[current].what.c_str(), code);
        fflush(stdout);
        _exit(1);
    }
}
static int* device(size_t bytes = 4096) {
    int* p = nullptr;
    must(cudaMalloc(&p, bytes));
    must(cudaMemset(p, 0, bytes));
    return p;
}
static int* pinned(size_t bytes = 4096) {
    int* p = nullptr;
    must(cudaMallocHost(&p, bytes));
    memset(p, 0, bytes);
    return p;
}
static int* pageable(size_t bytes = 4096) { return (int*)calloc(1, bytes); }
static int* place(int which) { return which == 0 ? device() : which == 1 ? pageable() : pinned(); }
static cudaStream_t stream() {
    cudaStream_t s;
    must(cudaStreamCreate(&s));
    return s;
}
static cudaEvent_t event(unsigned flags = cudaEventDefault) {
    cudaEvent_t e;
    must(cudaEventCreateWithFlags(&e, flags));
    return e;
}
static cudaArray_t array(size_t width = 32, size_t height = 8, unsigned flags = 0) {
    cudaArray_t a;
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    must(cudaMallocArray(&a, &desc, width, height, flags));
    return a;
}
static cudaArray_t box(size_t w, size_t h, size_t d, unsigned flags = 0) {
    cudaArray_t a;
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    must(cudaMalloc3DArray(&a, &desc, make_cudaExtent(w, h, d), flags));
    return a;
}
static cudaResourceDesc of_array(cudaArray_t a) {
    cudaResourceDesc r{};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    return r;
}
static cudaResourceDesc linear(void* p, size_t bytes, cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>()) {
    cudaResourceDesc r{};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = p;
    r.res.linear.desc = desc;
    r.res.linear.sizeInBytes = bytes;
    return r;
}
static cudaResourceDesc pitched(void* p, size_t w, size_t h, size_t pitch) {
    cudaResourceDesc r{};
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = p;
    r.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    r.res.pitch2D.width = w;
    r.res.pitch2D.height = h;
    r.res.pitch2D.pitchInBytes = pitch;
    return r;
}
static cudaError_t texture(cudaResourceDesc r, cudaTextureDesc t = {}) {
    cudaTextureObject_t object;
    return cudaCreateTextureObject(&object, &r, &t, nullptr);
}
static cudaError_t surface(cudaResourceDesc r) {
    cudaSurfaceObject_t object;
    return cudaCreateSurfaceObject(&object, &r);
}
static cudaError_t make_array(cudaChannelFormatDesc desc, size_t w, size_t h, unsigned flags = 0) {
    cudaArray_t a;
    return cudaMallocArray(&a, &desc, w, h, flags);
}
static cudaError_t make_box(size_t w, size_t h, size_t d, unsigned flags = 0) {
    cudaArray_t a;
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    return cudaMalloc3DArray(&a, &desc, make_cudaExtent(w, h, d), flags);
}
template <typename... A>
static cudaError_t launch(void (*kernel)(A...), dim3 grid, dim3 block, size_t shared, A... values) {
    void* args[] = {&values..., nullptr};
    return cudaLaunchKernel((const void*)kernel, grid, block, args, shared, 0);
}
// after a kernel that fails: the launch itself succeeds, and the next wait returns the error
static void lost() {
    must(launch(trap, 1, 1, 0));
    if (cudaDeviceSynchronize() == cudaSuccess) {
        must(cudaErrorUnknown);
    }
    (void)cudaGetLastError();
}
static cudaMemcpy3DParms box_copy(int* from, int* to, cudaExtent extent, cudaMemcpyKind kind) {
    cudaMemcpy3DParms p{};
    p.srcPtr = make_cudaPitchedPtr(from, 64, 64, 4);
    p.dstPtr = make_cudaPitchedPtr(to, 64, 64, 4);
    p.extent = extent;
    p.kind = kind;
    return p;
}

static void memory() {
    add("cudaMalloc: nowhere to put the address", [] { return cudaMalloc((void**)nullptr, 16); });
    add("cudaMalloc: 0 bytes", [] { void* p; return cudaMalloc(&p, 0); });
    add("cudaMalloc: 1 TiB", [] { void* p; return cudaMalloc(&p, 1ull << 40); });
    add("cudaMalloc: SIZE_MAX", [] { void* p; return cudaMalloc(&p, SIZE_MAX); });
    add("cudaMalloc: 2^63 bytes", [] { void* p; return cudaMalloc(&p, 1ull << 63); });
    add("cudaFree: null", [] { return cudaFree(nullptr); });
    add("cudaFree: the middle", [] { return cudaFree(device() + 16); });
    add("cudaFree: twice", [] { int* p = device(); must(cudaFree(p)); return cudaFree(p); });
    add("cudaFree: on the stack", [] { int x = 0; return cudaFree(&x); });
    add("cudaFree: from malloc", [] { return cudaFree(pageable()); });
    add("cudaFree: page-locked", [] { return cudaFree(pinned()); });
    add("cudaFree: an array", [] { return cudaFree(array()); });
    add("cudaFree: no address", [] { return cudaFree((void*)0x1234); });
    add("cudaFree: the end", [] { return cudaFree((char*)device(512) + 512); });
    add("cudaFree: a symbol's address", [] { void* p; must(cudaGetSymbolAddress(&p, variable)); return cudaFree(p); });
    add("cudaMallocHost: nowhere", [] { return cudaMallocHost((void**)nullptr, 16); });
    add("cudaMallocHost: 0 bytes", [] { void* p; return cudaMallocHost(&p, 0); });
    add("cudaMallocHost: 2^60 bytes", [] { void* p; return cudaMallocHost(&p, 1ull << 60); });
    add("cudaHostAlloc: unknown flags", [] { void* p; return cudaHostAlloc(&p, 16, 0xff00); });
    add("cudaHostAlloc: flag 8", [] { void* p; return cudaHostAlloc(&p, 16, 8); });
    add("cudaHostAlloc: 0 bytes", [] { void* p; return cudaHostAlloc(&p, 0, 0); });
    add("cudaFreeHost: null", [] { return cudaFreeHost(nullptr); });
    add("cudaFreeHost: the middle", [] { return cudaFreeHost(pinned() + 16); });
    add("cudaFreeHost: twice", [] { int* p = pinned(); must(cudaFreeHost(p)); return cudaFreeHost(p); });
    add("cudaFreeHost: from malloc", [] { return cudaFreeHost(pageable()); });
    add("cudaFreeHost: device memory", [] { return cudaFreeHost(device()); });
    add("cudaMallocPitch: nowhere", [] { size_t p; return cudaMallocPitch((void**)nullptr, &p, 16, 16); });
    add("cudaMallocPitch: no pitch", [] { void* p; return cudaMallocPitch(&p, nullptr, 16, 16); });
    add("cudaMallocPitch: width 0", [] { void* p; size_t n; return cudaMallocPitch(&p, &n, 0, 16); });
    add("cudaMallocPitch: height 0", [] { void* p; size_t n; return cudaMallocPitch(&p, &n, 16, 0); });
    add("cudaMallocPitch: too wide", [] { void* p; size_t n; return cudaMallocPitch(&p, &n, 1ull << 40, 16); });
    add("cudaMallocPitch: SIZE_MAX wide", [] { void* p; size_t n; return cudaMallocPitch(&p, &n, SIZE_MAX, 2); });
    add("cudaMalloc3D: nowhere", [] { return cudaMalloc3D(nullptr, make_cudaExtent(16, 16, 16)); });
    add("cudaMalloc3D: no extent", [] { cudaPitchedPtr p; return cudaMalloc3D(&p, make_cudaExtent(0, 0, 0)); });
    add("cudaMalloc3D: depth 0", [] { cudaPitchedPtr p; return cudaMalloc3D(&p, make_cudaExtent(16, 16, 0)); });
    add("cudaMalloc3D: too large", [] { cudaPitchedPtr p; return cudaMalloc3D(&p, make_cudaExtent(1 << 20, 1 << 20, 1 << 20)); });
    add("cudaMemGetInfo: nowhere", [] { return cudaMemGetInfo(nullptr, nullptr); });
    add("cudaMemGetInfo: no total", [] { size_t n; return cudaMemGetInfo(&n, nullptr); });
    add("cudaPointerGetAttributes: nowhere", [] { return cudaPointerGetAttributes(nullptr, device()); });
    add("cudaPointerGetAttributes: null", [] { cudaPointerAttributes a; return cudaPointerGetAttributes(&a, nullptr); });
    add("cudaPointerGetAttributes: from malloc", [] { cudaPointerAttributes a; return cudaPointerGetAttributes(&a, pageable()); });
    add("cudaHostRegister: null", [] { return cudaHostRegister(nullptr, 16, 0); });
    add("cudaHostRegister: 0 bytes", [] { return cudaHostRegister(pageable(), 0, 0); });
    add("cudaHostRegister: twice", [] { int* p = pageable(); must(cudaHostRegister(p, 4096, 0)); return cudaHostRegister(p, 4096, 0); });
    add("cudaHostRegister: what overlaps", [] { int* p = pageable(1 << 20); must(cudaHostRegister(p, 1 << 18, 0)); return cudaHostRegister(p + (1 << 15), 1 << 18, 0); });
    add("cudaHostRegister: unknown flags", [] { return cudaHostRegister(pageable(), 4096, 0xff00); });
    add("cudaHostRegister: device memory", [] { return cudaHostRegister(device(), 4096, 0); });
    add("cudaHostRegister: page-locked", [] { return cudaHostRegister(pinned(), 4096, 0); });
    add("cudaHostUnregister: null", [] { return cudaHostUnregister(nullptr); });
    add("cudaHostUnregister: never registered", [] { return cudaHostUnregister(pageable()); });
    add("cudaHostUnregister: twice", [] { int* p = pageable(); must(cudaHostRegister(p, 4096, 0)); must(cudaHostUnregister(p)); return cudaHostUnregister(p); });
    add("cudaHostUnregister: the middle", [] { int* p = pageable(1 << 20); must(cudaHostRegister(p, 1 << 20, 0)); return cudaHostUnregister(p + 4096); });
    add("cudaHostUnregister: from cudaMallocHost", [] { return cudaHostUnregister(pinned()); });
    add("cudaFreeHost: registered", [] { int* p = pageable(); must(cudaHostRegister(p, 4096, 0)); return cudaFreeHost(p); });
    add("cudaHostGetDevicePointer: from malloc", [] { void* d; return cudaHostGetDevicePointer(&d, pageable(), 0); });
    add("cudaHostGetDevicePointer: nowhere", [] { return cudaHostGetDevicePointer((void**)nullptr, pinned(), 0); });
    add("cudaHostGetDevicePointer: flags 1", [] { void* d; return cudaHostGetDevicePointer(&d, pinned(), 1); });
    add("cudaHostGetDevicePointer: null", [] { void* d; return cudaHostGetDevicePointer(&d, nullptr, 0); });
    add("cudaHostGetDevicePointer: device memory", [] { void* d; return cudaHostGetDevicePointer(&d, device(), 0); });
    add("cudaHostGetFlags: from malloc", [] { unsigned f; return cudaHostGetFlags(&f, pageable()); });
    add("cudaHostGetFlags: nowhere", [] { return cudaHostGetFlags(nullptr, pinned()); });
    add("cudaHostGetFlags: device memory", [] { unsigned f; return cudaHostGetFlags(&f, device()); });
    add("cudaMallocAsync: nowhere", [] { return cudaMallocAsync((void**)nullptr, 16, 0); });
    add("cudaMallocAsync: 0 bytes", [] { void* p; return cudaMallocAsync(&p, 0, 0); });
    add("cudaMallocAsync: 1 TiB", [] { void* p; return cudaMallocAsync(&p, 1ull << 40, 0); });
    add("cudaFreeAsync: null", [] { return cudaFreeAsync(nullptr, 0); });
    add("cudaFreeAsync: twice", [] { void* p; must(cudaMallocAsync(&p, 16, 0)); must(cudaFreeAsync(p, 0)); return cudaFreeAsync(p, 0); });
    add("cudaFreeAsync: twice, with a wait between", [] { void* p; must(cudaMallocAsync(&p, 16, 0)); must(cudaFreeAsync(p, 0)); must(cudaDeviceSynchronize()); return cudaFreeAsync(p, 0); });
    add("cudaFreeAsync: from cudaMalloc", [] { return cudaFreeAsync(device(), 0); });
    add("cudaFreeAsync: from malloc", [] { return cudaFreeAsync(pageable(), 0); });
    add("cudaFreeAsync: page-locked", [] { return cudaFreeAsync(pinned(), 0); });
    add("cudaFreeAsync: the middle", [] { int* p; must(cudaMallocAsync((void**)&p, 4096, 0)); return cudaFreeAsync(p + 16, 0); });
    add("cudaFree: from cudaMallocAsync", [] { void* p; must(cudaMallocAsync(&p, 16, 0)); return cudaFree(p); });
    add("cudaFree: after cudaFreeAsync", [] { void* p; must(cudaMallocAsync(&p, 16, 0)); must(cudaFreeAsync(p, 0)); return cudaFree(p); });
    add("cudaMallocFromPoolAsync: no pool", [] { void* p; return cudaMallocFromPoolAsync(&p, 16, nullptr, 0); });
    add("cudaDeviceGetDefaultMemPool: device 99", [] { cudaMemPool_t p; return cudaDeviceGetDefaultMemPool(&p, 99); });
    add("cudaDeviceGetDefaultMemPool: nowhere", [] { return cudaDeviceGetDefaultMemPool(nullptr, 0); });
    add("cudaMemPoolGetAttribute: attribute 99", [] { cudaMemPool_t p; uint64_t v = 0; must(cudaDeviceGetDefaultMemPool(&p, 0)); return cudaMemPoolGetAttribute(p, (cudaMemPoolAttr)99, &v); });
    add("cudaMemPoolGetAttribute: nowhere", [] { cudaMemPool_t p; must(cudaDeviceGetDefaultMemPool(&p, 0)); return cudaMemPoolGetAttribute(p, cudaMemPoolAttrUsedMemHigh, nullptr); });
    add("cudaMemPoolSetAttribute: used memory to 5", [] { cudaMemPool_t p; uint64_t v = 5; must(cudaDeviceGetDefaultMemPool(&p, 0)); return cudaMemPoolSetAttribute(p, cudaMemPoolAttrUsedMemHigh, &v); });
    add("cudaMemPoolSetAttribute: current memory", [] { cudaMemPool_t p; uint64_t v = 0; must(cudaDeviceGetDefaultMemPool(&p, 0)); return cudaMemPoolSetAttribute(p, cudaMemPoolAttrUsedMemCurrent, &v); });
    add("cudaMemPoolTrimTo: no pool", [] { return cudaMemPoolTrimTo(nullptr, 0); });
    add("cudaMemPoolDestroy: the default pool", [] { cudaMemPool_t p; must(cudaDeviceGetDefaultMemPool(&p, 0)); return cudaMemPoolDestroy(p); });
    add("cudaMemPoolDestroy: no pool", [] { return cudaMemPoolDestroy(nullptr); });
    add("cudaMemPoolCreate: nothing said", [] { cudaMemPool_t p; cudaMemPoolProps props{}; return cudaMemPoolCreate(&p, &props); });
    add("cudaMemPoolCreate: no properties", [] { cudaMemPool_t p; return cudaMemPoolCreate(&p, nullptr); });
}

static void copies() {
    const char* places[] = {"device", "pageable", "page-locked"};
    for (int to = 0; to < 3; ++to) {
        for (int from = 0; from < 3; ++from) {
            for (int kind = 0; kind < 6; ++kind) {
                const auto what = std::string("cudaMemcpy: ") + places[from] + " to " + places[to] + ", kind " + std::to_string(kind);
                add(what, to, from, kind, [](int t, int f, int k) { return cudaMemcpy(place(t), place(f), 64, (cudaMemcpyKind)k); });
            }
        }
    }
    add("cudaMemcpy: kind -1", [] { return cudaMemcpy(device(), pageable(), 64, (cudaMemcpyKind)-1); });
    add("cudaMemcpy: 0 bytes, kind 9", [] { return cudaMemcpy(device(), pageable(), 0, (cudaMemcpyKind)9); });
    add("cudaMemcpy: 0 bytes, null", [] { return cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice); });
    add("cudaMemcpy: 0 bytes, wrong direction", [] { return cudaMemcpy(device(), pageable(), 0, cudaMemcpyDeviceToHost); });
    add("cudaMemcpy: to null on the device", [] { return cudaMemcpy(nullptr, pageable(), 64, cudaMemcpyHostToDevice); });
    add("cudaMemcpy: from null to the device", [] { return cudaMemcpy(device(), nullptr, 64, cudaMemcpyHostToDevice); });
    add("cudaMemcpy: from the device to null", [] { return cudaMemcpy(nullptr, device(), 64, cudaMemcpyDeviceToHost); });
    add("cudaMemcpy: from null on the device", [] { return cudaMemcpy(pageable(), nullptr, 64, cudaMemcpyDeviceToHost); });
    add("cudaMemcpy: null, default", [] { return cudaMemcpy(nullptr, device(), 64, cudaMemcpyDefault); });
    add("cudaMemcpy: beyond the destination's end", [] { return cudaMemcpy(device(), pageable(1 << 23), 1 << 23, cudaMemcpyHostToDevice); });
    add("cudaMemcpy: beyond the source's end", [] { return cudaMemcpy(pageable(1 << 23), device(), 1 << 23, cudaMemcpyDeviceToHost); });
    add("cudaMemcpy: a little beyond the end", [] { return cudaMemcpy(device(64), pageable(), 68, cudaMemcpyHostToDevice); });
    add("cudaMemcpy: a little beyond a long end", [] { return cudaMemcpy(device(1 << 21), pageable(1 << 22), (1 << 21) + 4, cudaMemcpyHostToDevice); });
    add("cudaMemcpy: within the device, beyond the end", [] { return cudaMemcpy(device(64), device(4096), 4096, cudaMemcpyDeviceToDevice); });
    add("cudaMemcpy: SIZE_MAX bytes", [] { return cudaMemcpy(device(), pageable(), SIZE_MAX, cudaMemcpyHostToDevice); });
    add("cudaMemcpy: to what was freed", [] { int* p = device(); must(cudaFree(p)); return cudaMemcpy(p, pageable(), 64, cudaMemcpyHostToDevice); });
    add("cudaMemcpy: from what was freed", [] { int* p = device(); must(cudaFree(p)); return cudaMemcpy(pageable(), p, 64, cudaMemcpyDeviceToHost); });
    add("cudaMemcpy: from what was freed, default", [] { int* p = device(); must(cudaFree(p)); return cudaMemcpy(device(), p, 64, cudaMemcpyDeviceToDevice); });
    add("cudaMemcpyAsync: kind 9", [] { return cudaMemcpyAsync(device(), pageable(), 64, (cudaMemcpyKind)9, 0); });
    add("cudaMemcpyAsync: wrong direction", [] { return cudaMemcpyAsync(device(), pinned(), 64, cudaMemcpyDeviceToHost, 0); });
    add("cudaMemcpyAsync: beyond the end", [] { return cudaMemcpyAsync(device(64), pageable(), 68, cudaMemcpyHostToDevice, 0); });
    add("cudaMemcpyPeer: device 99", [] { return cudaMemcpyPeer(device(), 99, device(), 0, 64); });
    add("cudaMemcpyPeer: within one device", [] { return cudaMemcpyPeer(device(), 0, device(), 0, 64); });
    add("cudaMemset: null", [] { return cudaMemset(nullptr, 0, 64); });
    add("cudaMemset: null, 0 bytes", [] { return cudaMemset(nullptr, 0, 0); });
    add("cudaMemset: host memory", [] { return cudaMemset(pageable(), 0, 64); });
    add("cudaMemset: page-locked memory", [] { return cudaMemset(pinned(), 0, 64); });
    add("cudaMemset: a little beyond the end", [] { return cudaMemset(device(64), 0, 68); });
    add("cudaMemset: far beyond the end", [] { return cudaMemset(device(64), 0, 1 << 23); });
    add("cudaMemset: freed", [] { int* p = device(); must(cudaFree(p)); return cudaMemset(p, 0, 64); });
    add("cudaMemset: 0 bytes of host memory", [] { return cudaMemset(pageable(), 0, 0); });
    add("cudaMemsetAsync: host memory", [] { return cudaMemsetAsync(pageable(), 0, 64, 0); });

    add("cudaMemcpy2D: destination's pitch below the width", [] { return cudaMemcpy2D(device(), 16, pageable(), 64, 32, 4, cudaMemcpyHostToDevice); });
    add("cudaMemcpy2D: source's pitch below the width", [] { return cudaMemcpy2D(device(), 64, pageable(), 16, 32, 4, cudaMemcpyHostToDevice); });
    add("cudaMemcpy2D: pitch below the width of one row", [] { return cudaMemcpy2D(device(), 16, pageable(), 16, 32, 1, cudaMemcpyHostToDevice); });
    add("cudaMemcpy2D: pitch 0, one row", [] { return cudaMemcpy2D(device(), 0, pageable(), 0, 32, 1, cudaMemcpyHostToDevice); });
    add("cudaMemcpy2D: width 0", [] { return cudaMemcpy2D(device(), 64, pageable(), 64, 0, 4, cudaMemcpyHostToDevice); });
    add("cudaMemcpy2D: height 0", [] { return cudaMemcpy2D(device(), 64, pageable(), 64, 32, 0, cudaMemcpyHostToDevice); });
    add("cudaMemcpy2D: width 0, null, kind 9", [] { return cudaMemcpy2D(nullptr, 64, nullptr, 64, 0, 4, (cudaMemcpyKind)9); });
    add("cudaMemcpy2D: kind 9", [] { return cudaMemcpy2D(device(), 64, pageable(), 64, 32, 4, (cudaMemcpyKind)9); });
    add("cudaMemcpy2D: wrong direction", [] { return cudaMemcpy2D(device(), 64, pageable(), 64, 32, 4, cudaMemcpyDeviceToHost); });
    add("cudaMemcpy2D: wrong direction, pitch below the width", [] { return cudaMemcpy2D(device(), 16, pageable(), 64, 32, 4, cudaMemcpyDeviceToHost); });
    add("cudaMemcpy2D: null", [] { return cudaMemcpy2D(nullptr, 64, pageable(), 64, 32, 4, cudaMemcpyHostToDevice); });
    add("cudaMemcpy2D: from null", [] { return cudaMemcpy2D(device(), 64, nullptr, 64, 32, 4, cudaMemcpyHostToDevice); });
    add("cudaMemcpy2D: a row too many", [] { return cudaMemcpy2D(device(256), 64, pageable(), 64, 64, 5, cudaMemcpyHostToDevice); });
    add("cudaMemcpy2D: many rows too many", [] { return cudaMemcpy2D(device(256), 4096, pageable(1 << 23), 4096, 64, 2000, cudaMemcpyHostToDevice); });
    add("cudaMemcpy2D: the last row ends at the end", [] { return cudaMemcpy2D(device(3 * 64 + 32), 64, pageable(), 64, 32, 4, cudaMemcpyHostToDevice); });
    add("cudaMemcpy2D: the pitch of 2 GiB", [] { return cudaMemcpy2D(device(), 1ull << 31, pageable(), 64, 32, 1, cudaMemcpyHostToDevice); });
    add("cudaMemcpy2D: the pitch of 4 GiB", [] { return cudaMemcpy2D(device(), 1ull << 32, pageable(), 64, 32, 2, cudaMemcpyHostToDevice); });
    add("cudaMemcpy2D: within the device", [] { return cudaMemcpy2D(device(), 128, device(), 64, 64, 4, cudaMemcpyDeviceToDevice); });
    add("cudaMemcpy2D: within the host", [] { return cudaMemcpy2D(pageable(), 128, pageable(), 64, 64, 4, cudaMemcpyHostToHost); });
    add("cudaMemcpy2D: within the host, default", [] { return cudaMemcpy2D(pageable(), 128, pageable(), 64, 64, 4, cudaMemcpyDefault); });
    add("cudaMemcpy2D: device to pageable, kind 3", [] { return cudaMemcpy2D(pageable(), 64, device(), 64, 64, 4, cudaMemcpyDeviceToDevice); });
    add("cudaMemcpy2D: page-locked to device, kind 3", [] { return cudaMemcpy2D(device(), 64, pinned(), 64, 64, 4, cudaMemcpyDeviceToDevice); });
    add("cudaMemcpy2D: page-locked to device, kind 2", [] { return cudaMemcpy2D(device(), 64, pinned(), 64, 64, 4, cudaMemcpyDeviceToHost); });
    add("cudaMemcpy2DAsync: pitch below the width", [] { return cudaMemcpy2DAsync(device(), 16, pageable(), 64, 32, 4, cudaMemcpyHostToDevice, 0); });
    add("cudaMemset2D: pitch below the width", [] { return cudaMemset2D(device(), 16, 0, 32, 4); });
    add("cudaMemset2D: pitch below the width, one row", [] { return cudaMemset2D(device(), 16, 0, 32, 1); });
    add("cudaMemset2D: width 0", [] { return cudaMemset2D(device(), 16, 0, 0, 4); });
    add("cudaMemset2D: null", [] { return cudaMemset2D(nullptr, 64, 0, 32, 4); });
    add("cudaMemset2D: host memory", [] { return cudaMemset2D(pageable(), 64, 0, 32, 4); });
    add("cudaMemset2D: a row too many", [] { return cudaMemset2D(device(256), 64, 0, 64, 5); });
    add("cudaMemset2D: many rows too many", [] { return cudaMemset2D(device(256), 4096, 0, 64, 2000); });
    add("cudaMemset3D: pitch below the width", [] { return cudaMemset3D(make_cudaPitchedPtr(device(), 16, 16, 4), 0, make_cudaExtent(32, 4, 2)); });
    add("cudaMemset3D: more rows than there are", [] { return cudaMemset3D(make_cudaPitchedPtr(device(), 64, 64, 2), 0, make_cudaExtent(32, 4, 2)); });
    add("cudaMemset3D: wider than it is", [] { return cudaMemset3D(make_cudaPitchedPtr(device(), 64, 16, 4), 0, make_cudaExtent(32, 4, 2)); });
    add("cudaMemset3D: many planes too many", [] { return cudaMemset3D(make_cudaPitchedPtr(device(), 64, 64, 4), 0, make_cudaExtent(32, 4, 1 << 15)); });
    add("cudaMemset3D: null", [] { return cudaMemset3D(make_cudaPitchedPtr(nullptr, 64, 64, 4), 0, make_cudaExtent(32, 4, 2)); });
    add("cudaMemset3D: nothing", [] { return cudaMemset3D(make_cudaPitchedPtr(device(), 64, 64, 4), 0, make_cudaExtent(0, 4, 2)); });
    add("cudaMemcpy3D: null", [] { return cudaMemcpy3D(nullptr); });
    add("cudaMemcpy3D: nothing said", [] { cudaMemcpy3DParms p{}; return cudaMemcpy3D(&p); });
    add("cudaMemcpy3D: right", [] { auto p = box_copy(pageable(), device(), make_cudaExtent(64, 4, 4), cudaMemcpyHostToDevice); return cudaMemcpy3D(&p); });
    add("cudaMemcpy3D: no extent", [] { auto p = box_copy(pageable(), device(), make_cudaExtent(64, 0, 4), cudaMemcpyHostToDevice); return cudaMemcpy3D(&p); });
    add("cudaMemcpy3D: wrong direction", [] { auto p = box_copy(pageable(), device(), make_cudaExtent(64, 4, 4), cudaMemcpyDeviceToHost); return cudaMemcpy3D(&p); });
    add("cudaMemcpy3D: kind 9", [] { auto p = box_copy(pageable(), device(), make_cudaExtent(64, 4, 4), (cudaMemcpyKind)9); return cudaMemcpy3D(&p); });
    add("cudaMemcpy3D: wider than the pitch", [] { auto p = box_copy(pageable(), device(), make_cudaExtent(80, 4, 2), cudaMemcpyHostToDevice); return cudaMemcpy3D(&p); });
    add("cudaMemcpy3D: wider than the pitch with its position", [] { auto p = box_copy(pageable(), device(), make_cudaExtent(60, 4, 2), cudaMemcpyHostToDevice); p.dstPos.x = 8; return cudaMemcpy3D(&p); });
    add("cudaMemcpy3D: higher than the plane", [] { auto p = box_copy(pageable(), device(), make_cudaExtent(64, 5, 2), cudaMemcpyHostToDevice); return cudaMemcpy3D(&p); });
    add("cudaMemcpy3D: higher than the plane with its position", [] { auto p = box_copy(pageable(), device(), make_cudaExtent(64, 3, 2), cudaMemcpyHostToDevice); p.dstPos.y = 2; return cudaMemcpy3D(&p); });
    add("cudaMemcpy3D: many planes too many", [] { auto p = box_copy(pageable(1 << 23), device(), make_cudaExtent(64, 4, 1 << 15), cudaMemcpyHostToDevice); return cudaMemcpy3D(&p); });
    add("cudaMemcpy3D: array and pointer", [] { auto p = box_copy(pageable(), device(), make_cudaExtent(16, 4, 1), cudaMemcpyHostToDevice); p.dstArray = array(); return cudaMemcpy3D(&p); });
    add("cudaMemcpy3D: no destination", [] { auto p = box_copy(pageable(), nullptr, make_cudaExtent(16, 4, 1), cudaMemcpyHostToDevice); return cudaMemcpy3D(&p); });
    add("cudaMemcpy3D: to an array", [] { auto p = box_copy(pageable(), nullptr, make_cudaExtent(16, 4, 1), cudaMemcpyHostToDevice); p.dstPtr = {}; p.dstArray = array(); return cudaMemcpy3D(&p); });
    add("cudaMemcpy3D: to a flat array, depth 0", [] { auto p = box_copy(pageable(), nullptr, make_cudaExtent(16, 4, 0), cudaMemcpyHostToDevice); p.dstPtr = {}; p.dstArray = array(); return cudaMemcpy3D(&p); });
    add("cudaMemcpy3D: wider than an array", [] { auto p = box_copy(pageable(), nullptr, make_cudaExtent(33, 4, 1), cudaMemcpyHostToDevice); p.srcPtr.pitch = 256; p.dstPtr = {}; p.dstArray = array(); return cudaMemcpy3D(&p); });
    add("cudaMemcpy3D: higher than an array", [] { auto p = box_copy(pageable(), nullptr, make_cudaExtent(16, 9, 1), cudaMemcpyHostToDevice); p.srcPtr.ysize = 16; p.dstPtr = {}; p.dstArray = array(); return cudaMemcpy3D(&p); });
    add("cudaMemcpy3D: deeper than an array", [] { auto p = box_copy(pageable(), nullptr, make_cudaExtent(16, 4, 3), cudaMemcpyHostToDevice); p.dstPtr = {}; p.dstArray = box(16, 4, 2); return cudaMemcpy3D(&p); });
    add("cudaMemcpy3D: outside of an array by its position", [] { auto p = box_copy(pageable(), nullptr, make_cudaExtent(16, 4, 2), cudaMemcpyHostToDevice); p.dstPtr = {}; p.dstArray = box(16, 4, 2); p.dstPos.z = 1; return cudaMemcpy3D(&p); });
    add("cudaMemcpy3D: to an array, wrong direction", [] { auto p = box_copy(pageable(), nullptr, make_cudaExtent(16, 4, 1), cudaMemcpyDeviceToHost); p.dstPtr = {}; p.dstArray = array(); return cudaMemcpy3D(&p); });
    add("cudaMemcpy3D: array to array", [] { cudaMemcpy3DParms p{}; p.srcArray = array(); p.dstArray = array(); p.extent = make_cudaExtent(32, 8, 1); p.kind = cudaMemcpyDeviceToDevice; return cudaMemcpy3D(&p); });
    add("cudaMemcpy3D: array to array, other texels", [] { cudaMemcpy3DParms p{}; const auto d = cudaCreateChannelDesc<short>(); p.srcArray = array(); must(cudaMallocArray(&p.dstArray, &d, 32, 8)); p.extent = make_cudaExtent(32, 8, 1); p.kind = cudaMemcpyDeviceToDevice; return cudaMemcpy3D(&p); });
    add("cudaMemcpy3D: array to array, from host to device", [] { cudaMemcpy3DParms p{}; p.srcArray = array(); p.dstArray = array(); p.extent = make_cudaExtent(32, 8, 1); p.kind = cudaMemcpyHostToDevice; return cudaMemcpy3D(&p); });
}

static void arrays() {
    constexpr cudaChannelFormatKind f = cudaChannelFormatKindFloat, u = cudaChannelFormatKindUnsigned;
    add("cudaMallocArray: nowhere", [] { const auto d = cudaCreateChannelDesc<float>(); return cudaMallocArray(nullptr, &d, 16, 16); });
    add("cudaMallocArray: no format", [] { cudaArray_t a; return cudaMallocArray(&a, nullptr, 16, 16); });
    add("cudaMallocArray: width 0", [] { return make_array(cudaCreateChannelDesc<float>(), 0, 16); });
    add("cudaMallocArray: height 0", [] { return make_array(cudaCreateChannelDesc<float>(), 16, 0); });
    add("cudaMallocArray: three channels", [] { return make_array(cudaCreateChannelDesc(32, 32, 32, 0, f), 16, 16); });
    add("cudaMallocArray: channels of two sizes", [] { return make_array(cudaCreateChannelDesc(8, 16, 0, 0, u), 16, 16); });
    add("cudaMallocArray: no channels", [] { return make_array(cudaCreateChannelDesc(0, 0, 0, 0, u), 16, 16); });
    add("cudaMallocArray: 64 bits", [] { return make_array(cudaCreateChannelDesc(64, 0, 0, 0, f), 16, 16); });
    add("cudaMallocArray: float of 8 bits", [] { return make_array(cudaCreateChannelDesc(8, 0, 0, 0, f), 16, 16); });
    add("cudaMallocArray: 12 bits", [] { return make_array(cudaCreateChannelDesc(12, 0, 0, 0, u), 16, 16); });
    add("cudaMallocArray: the second channel alone", [] { return make_array(cudaCreateChannelDesc(0, 8, 0, 0, u), 16, 16); });
    add("cudaMallocArray: no kind", [] { return make_array(cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindNone), 16, 16); });
    add("cudaMallocArray: kind 99", [] { return make_array(cudaCreateChannelDesc(32, 0, 0, 0, (cudaChannelFormatKind)99), 16, 16); });
    add("cudaMallocArray: 131073 wide", [] { return make_array(cudaCreateChannelDesc<float>(), 131073, 0); });
    add("cudaMallocArray: 131073 wide, one row", [] { return make_array(cudaCreateChannelDesc<float>(), 131073, 1); });
    add("cudaMallocArray: 65537 high", [] { return make_array(cudaCreateChannelDesc<float>(), 4, 65537); });
    add("cudaMallocArray: unknown flags", [] { return make_array(cudaCreateChannelDesc<float>(), 16, 16, 0x1000); });
    add("cudaMallocArray: layered", [] { return make_array(cudaCreateChannelDesc<float>(), 16, 16, cudaArrayLayered); });
    add("cudaMallocArray: gather of a line", [] { return make_array(cudaCreateChannelDesc<float>(), 16, 0, cudaArrayTextureGather); });
    add("cudaMallocArray: for surfaces", [] { return make_array(cudaCreateChannelDesc<float>(), 16, 16, cudaArraySurfaceLoadStore); });
    add("cudaMalloc3DArray: nowhere", [] { const auto d = cudaCreateChannelDesc<float>(); return cudaMalloc3DArray(nullptr, &d, make_cudaExtent(4, 4, 4)); });
    add("cudaMalloc3DArray: width 0", [] { return make_box(0, 4, 4); });
    add("cudaMalloc3DArray: height 0", [] { return make_box(4, 0, 4); });
    add("cudaMalloc3DArray: depth 0", [] { return make_box(4, 4, 0); });
    add("cudaMalloc3DArray: 16385 wide", [] { return make_box(16385, 2, 2); });
    add("cudaMalloc3DArray: 16385 deep", [] { return make_box(2, 2, 16385); });
    add("cudaMalloc3DArray: layers of lines", [] { return make_box(16, 0, 4, cudaArrayLayered); });
    add("cudaMalloc3DArray: no layers", [] { return make_box(16, 16, 0, cudaArrayLayered); });
    add("cudaMalloc3DArray: 2049 layers", [] { return make_box(4, 4, 2049, cudaArrayLayered); });
    add("cudaMalloc3DArray: a cube that is none", [] { return make_box(4, 5, 6, cudaArrayCubemap); });
    add("cudaMalloc3DArray: a cube of 5 sides", [] { return make_box(4, 4, 5, cudaArrayCubemap); });
    add("cudaFreeArray: null", [] { return cudaFreeArray(nullptr); });
    add("cudaFreeArray: twice", [] { auto a = array(); must(cudaFreeArray(a)); return cudaFreeArray(a); });
    add("cudaFreeArray: device memory", [] { return cudaFreeArray((cudaArray_t)device()); });
    add("cudaFreeArray: no handle", [] { return cudaFreeArray((cudaArray_t)0x1234); });
    add("cudaArrayGetInfo: null", [] { cudaExtent e; return cudaArrayGetInfo(nullptr, &e, nullptr, nullptr); });
    add("cudaArrayGetInfo: nothing wanted", [] { return cudaArrayGetInfo(nullptr, nullptr, nullptr, array()); });
    add("cudaGetChannelDesc: null", [] { cudaChannelFormatDesc d; return cudaGetChannelDesc(&d, nullptr); });
    add("cudaGetChannelDesc: nowhere", [] { return cudaGetChannelDesc(nullptr, array()); });
    add("cudaMemcpy2DToArray: right", [] { return cudaMemcpy2DToArray(array(), 0, 0, pageable(), 128, 128, 8, cudaMemcpyHostToDevice); });
    add("cudaMemcpy2DToArray: null", [] { return cudaMemcpy2DToArray(nullptr, 0, 0, pageable(), 128, 128, 8, cudaMemcpyHostToDevice); });
    add("cudaMemcpy2DToArray: from null", [] { return cudaMemcpy2DToArray(array(), 0, 0, nullptr, 128, 128, 8, cudaMemcpyHostToDevice); });
    add("cudaMemcpy2DToArray: too wide", [] { return cudaMemcpy2DToArray(array(), 0, 0, pageable(), 256, 132, 8, cudaMemcpyHostToDevice); });
    add("cudaMemcpy2DToArray: too wide by its offset", [] { return cudaMemcpy2DToArray(array(), 4, 0, pageable(), 128, 128, 8, cudaMemcpyHostToDevice); });
    add("cudaMemcpy2DToArray: too high", [] { return cudaMemcpy2DToArray(array(), 0, 0, pageable(), 128, 128, 9, cudaMemcpyHostToDevice); });
    add("cudaMemcpy2DToArray: too high by its offset", [] { return cudaMemcpy2DToArray(array(), 0, 1, pageable(), 128, 128, 8, cudaMemcpyHostToDevice); });
    add("cudaMemcpy2DToArray: half a texel", [] { return cudaMemcpy2DToArray(array(), 0, 0, pageable(), 128, 126, 8, cudaMemcpyHostToDevice); });
    add("cudaMemcpy2DToArray: from half a texel", [] { return cudaMemcpy2DToArray(array(), 2, 0, pageable(), 128, 64, 8, cudaMemcpyHostToDevice); });
    add("cudaMemcpy2DToArray: pitch below the width", [] { return cudaMemcpy2DToArray(array(), 0, 0, pageable(), 64, 128, 8, cudaMemcpyHostToDevice); });
    add("cudaMemcpy2DToArray: wrong direction", [] { return cudaMemcpy2DToArray(array(), 0, 0, pageable(), 128, 128, 8, cudaMemcpyDeviceToHost); });
    add("cudaMemcpy2DToArray: host to host", [] { return cudaMemcpy2DToArray(array(), 0, 0, pageable(), 128, 128, 8, cudaMemcpyHostToHost); });
    add("cudaMemcpy2DToArray: kind 9", [] { return cudaMemcpy2DToArray(array(), 0, 0, pageable(), 128, 128, 8, (cudaMemcpyKind)9); });
    add("cudaMemcpy2DToArray: nothing", [] { return cudaMemcpy2DToArray(array(), 0, 0, pageable(), 128, 0, 8, cudaMemcpyHostToDevice); });
    add("cudaMemcpy2DToArray: default", [] { return cudaMemcpy2DToArray(array(), 0, 0, pageable(), 128, 128, 8, cudaMemcpyDefault); });
    add("cudaMemcpy2DToArray: a line, one row", [] { return cudaMemcpy2DToArray(array(32, 0), 0, 0, pageable(), 128, 128, 1, cudaMemcpyHostToDevice); });
    add("cudaMemcpy2DToArray: a line, two rows", [] { return cudaMemcpy2DToArray(array(32, 0), 0, 0, pageable(), 128, 128, 2, cudaMemcpyHostToDevice); });
    add("cudaMemcpy2DFromArray: too wide", [] { return cudaMemcpy2DFromArray(pageable(), 256, array(), 0, 0, 132, 8, cudaMemcpyDeviceToHost); });
    add("cudaMemcpy2DFromArray: pitch below the width", [] { return cudaMemcpy2DFromArray(pageable(), 64, array(), 0, 0, 128, 8, cudaMemcpyDeviceToHost); });
    add("cudaMemcpy2DFromArray: wrong direction", [] { return cudaMemcpy2DFromArray(pageable(), 128, array(), 0, 0, 128, 8, cudaMemcpyHostToDevice); });
    add("cudaMemcpy2DFromArray: beyond device memory", [] { return cudaMemcpy2DFromArray(device(256), 128, array(), 0, 0, 128, 8, cudaMemcpyDeviceToDevice); });
    add("cudaMemcpy2DArrayToArray: right", [] { return cudaMemcpy2DArrayToArray(array(), 0, 0, array(), 0, 0, 128, 8); });
    add("cudaMemcpy2DArrayToArray: too high", [] { return cudaMemcpy2DArrayToArray(array(32, 4), 0, 0, array(), 0, 0, 128, 8); });
    add("cudaMemcpyToArray: right", [] { return cudaMemcpyToArray(array(), 0, 0, pageable(), 1024, cudaMemcpyHostToDevice); });
    add("cudaMemcpyToArray: too much", [] { return cudaMemcpyToArray(array(), 0, 0, pageable(), 1028, cudaMemcpyHostToDevice); });
    add("cudaMemcpyToArray: part of a row", [] { return cudaMemcpyToArray(array(), 0, 0, pageable(), 100, cudaMemcpyHostToDevice); });
    add("cudaMemcpyToArray: rows from the middle of one", [] { return cudaMemcpyToArray(array(), 64, 1, pageable(), 256, cudaMemcpyHostToDevice); });
    add("cudaMemcpyFromArray: too much", [] { return cudaMemcpyFromArray(pageable(), array(), 0, 0, 1028, cudaMemcpyDeviceToHost); });
    add("cudaMemcpyArrayToArray: right", [] { return cudaMemcpyArrayToArray(array(), 0, 0, array(), 0, 0, 1024); });
}

static void symbols() {
    add("cudaMemcpyToSymbol: offset beyond", [] { return cudaMemcpyToSymbol(variable, pageable(), 4, 64, cudaMemcpyHostToDevice); });
    add("cudaMemcpyToSymbol: too many bytes", [] { return cudaMemcpyToSymbol(variable, pageable(), 68, 0, cudaMemcpyHostToDevice); });
    add("cudaMemcpyToSymbol: offset and bytes too large", [] { return cudaMemcpyToSymbol(variable, pageable(), 32, 36, cudaMemcpyHostToDevice); });
    add("cudaMemcpyToSymbol: offset wraps", [] { return cudaMemcpyToSymbol(variable, pageable(), 8, SIZE_MAX - 3, cudaMemcpyHostToDevice); });
    add("cudaMemcpyToSymbol: device to host", [] { return cudaMemcpyToSymbol(variable, pageable(), 4, 0, cudaMemcpyDeviceToHost); });
    add("cudaMemcpyToSymbol: host to host", [] { return cudaMemcpyToSymbol(variable, pageable(), 4, 0, cudaMemcpyHostToHost); });
    add("cudaMemcpyToSymbol: from the host as if from the device", [] { return cudaMemcpyToSymbol(variable, pageable(), 4, 0, cudaMemcpyDeviceToDevice); });
    add("cudaMemcpyToSymbol: from the device as if from the host", [] { return cudaMemcpyToSymbol(variable, device(), 4, 0, cudaMemcpyHostToDevice); });
    add("cudaMemcpyToSymbol: default", [] { return cudaMemcpyToSymbol(variable, pageable(), 4, 0, cudaMemcpyDefault); });
    add("cudaMemcpyToSymbol: kind 9", [] { return cudaMemcpyToSymbol(variable, pageable(), 4, 0, (cudaMemcpyKind)9); });
    add("cudaMemcpyToSymbol: constant", [] { return cudaMemcpyToSymbol(table, pageable(), 64); });
    add("cudaMemcpyToSymbol: from null", [] { return cudaMemcpyToSymbol(variable, nullptr, 4); });
    add("cudaMemcpyToSymbol: 0 bytes from null", [] { return cudaMemcpyToSymbol(variable, nullptr, 0); });
    add("cudaMemcpyToSymbol: no symbol", [] { return cudaMemcpyToSymbol(plain_variable, pageable(), 4); });
    add("cudaMemcpyToSymbol: no symbol, 0 bytes", [] { return cudaMemcpyToSymbol(plain_variable, pageable(), 0); });
    add("cudaMemcpyToSymbol: null", [] { return cudaMemcpyToSymbol((const void*)nullptr, pageable(), 4); });
    add("cudaMemcpyToSymbol: its address", [] { void* p; must(cudaGetSymbolAddress(&p, variable)); return cudaMemcpyToSymbol((const void*)p, pageable(), 4); });
    add("cudaMemcpyToSymbol: device memory", [] { return cudaMemcpyToSymbol((const void*)device(), pageable(), 4); });
    add("cudaMemcpyFromSymbol: host to device", [] { return cudaMemcpyFromSymbol(pageable(), variable, 4, 0, cudaMemcpyHostToDevice); });
    add("cudaMemcpyFromSymbol: too many bytes", [] { return cudaMemcpyFromSymbol(pageable(), variable, 68); });
    add("cudaMemcpyFromSymbol: no symbol", [] { return cudaMemcpyFromSymbol(pageable(), plain_variable, 4); });
    add("cudaMemcpyFromSymbol: to null", [] { return cudaMemcpyFromSymbol(nullptr, variable, 4); });
    add("cudaMemcpyToSymbolAsync: too many bytes", [] { return cudaMemcpyToSymbolAsync(variable, pageable(), 68, 0, cudaMemcpyHostToDevice, 0); });
    add("cudaMemcpyFromSymbolAsync: wrong direction", [] { return cudaMemcpyFromSymbolAsync(pageable(), variable, 4, 0, cudaMemcpyHostToDevice, 0); });
    add("cudaGetSymbolAddress: no symbol", [] { void* p; return cudaGetSymbolAddress(&p, plain_variable); });
    add("cudaGetSymbolAddress: nowhere", [] { return cudaGetSymbolAddress((void**)nullptr, variable); });
    add("cudaGetSymbolSize: no symbol", [] { size_t n; return cudaGetSymbolSize(&n, plain_variable); });
    add("cudaGetSymbolSize: nowhere", [] { return cudaGetSymbolSize(nullptr, variable); });
}

static void streams() {
    add("cudaStreamCreate: nowhere", [] { return cudaStreamCreate(nullptr); });
    add("cudaStreamCreateWithFlags: flags 6", [] { cudaStream_t s; return cudaStreamCreateWithFlags(&s, 6); });
    add("cudaStreamCreateWithPriority: 99", [] { cudaStream_t s; return cudaStreamCreateWithPriority(&s, 0, 99); });
    add("cudaStreamCreateWithPriority: -99", [] { cudaStream_t s; return cudaStreamCreateWithPriority(&s, 0, -99); });
    add("cudaStreamCreateWithPriority: flags 6", [] { cudaStream_t s; return cudaStreamCreateWithPriority(&s, 6, 0); });
    add("cudaStreamDestroy: null", [] { return cudaStreamDestroy(0); });
    add("cudaStreamDestroy: legacy", [] { return cudaStreamDestroy(cudaStreamLegacy); });
    add("cudaStreamDestroy: per thread", [] { return cudaStreamDestroy(cudaStreamPerThread); });
    add("cudaStreamDestroy: twice", [] { auto s = stream(); must(cudaStreamDestroy(s)); return cudaStreamDestroy(s); });
    add("cudaStreamSynchronize: destroyed", [] { auto s = stream(); must(cudaStreamDestroy(s)); return cudaStreamSynchronize(s); });
    add("cudaStreamQuery: destroyed", [] { auto s = stream(); must(cudaStreamDestroy(s)); return cudaStreamQuery(s); });
    add("cudaMemcpyAsync: in a destroyed stream", [] { auto s = stream(); must(cudaStreamDestroy(s)); return cudaMemcpyAsync(device(), pinned(), 64, cudaMemcpyHostToDevice, s); });
    add("a launch in a destroyed stream", [] { auto s = stream(); must(cudaStreamDestroy(s)); void* args[] = {nullptr}; return cudaLaunchKernel((const void*)nothing, 1, 1, args, 0, s); });
    add("cudaStreamQuery: not ready", [] { auto s = stream(); slow<<<1, 1, 0, s>>>(device()); return cudaStreamQuery(s); });
    add("cudaStreamQuery: the default stream, not ready", [] { slow<<<1, 1>>>(device()); return cudaStreamQuery(0); });
    add("cudaStreamQuery: per thread, ready", [] { return cudaStreamQuery(cudaStreamPerThread); });
    add("cudaStreamWaitEvent: null", [] { return cudaStreamWaitEvent(stream(), nullptr, 0); });
    add("cudaStreamWaitEvent: flags 6", [] { return cudaStreamWaitEvent(stream(), event(), 6); });
    add("cudaStreamWaitEvent: never recorded", [] { return cudaStreamWaitEvent(stream(), event(), 0); });
    add("cudaStreamGetPriority: nowhere", [] { return cudaStreamGetPriority(stream(), nullptr); });
    add("cudaStreamGetFlags: nowhere", [] { return cudaStreamGetFlags(stream(), nullptr); });
    add("cudaStreamGetId: nowhere", [] { return cudaStreamGetId(stream(), nullptr); });
    add("cudaStreamGetDevice: nowhere", [] { return cudaStreamGetDevice(stream(), nullptr); });
    add("cudaStreamAddCallback: null", [] { return cudaStreamAddCallback(stream(), nullptr, nullptr, 0); });
    add("cudaStreamAddCallback: flags 1", [] { return cudaStreamAddCallback(stream(), callback, nullptr, 1); });
    add("cudaLaunchHostFunc: null", [] { return cudaLaunchHostFunc(stream(), nullptr, nullptr); });
    add("cudaLaunchHostFunc: after a trap", [] { lost(); return cudaLaunchHostFunc(0, on_host, nullptr); });
    add("cudaDeviceGetStreamPriorityRange: nowhere", [] { return cudaDeviceGetStreamPriorityRange(nullptr, nullptr); });
    add("cudaEventCreate: nowhere", [] { return cudaEventCreate((cudaEvent_t*)nullptr); });
    add("cudaEventCreateWithFlags: flags 0x80", [] { cudaEvent_t e; return cudaEventCreateWithFlags(&e, 0x80); });
    add("cudaEventCreateWithFlags: for other processes and timed", [] { cudaEvent_t e; return cudaEventCreateWithFlags(&e, cudaEventInterprocess); });
    add("cudaEventDestroy: null", [] { return cudaEventDestroy(nullptr); });
    add("cudaEventDestroy: twice", [] { auto e = event(); must(cudaEventDestroy(e)); return cudaEventDestroy(e); });
    add("cudaEventRecord: null", [] { return cudaEventRecord(nullptr, 0); });
    add("cudaEventRecord: destroyed", [] { auto e = event(); must(cudaEventDestroy(e)); return cudaEventRecord(e, 0); });
    add("cudaEventRecord: in a destroyed stream", [] { auto s = stream(); must(cudaStreamDestroy(s)); return cudaEventRecord(event(), s); });
    add("cudaEventRecordWithFlags: flags 6", [] { return cudaEventRecordWithFlags(event(), 0, 6); });
    add("cudaEventRecordWithFlags: external", [] { return cudaEventRecordWithFlags(event(), 0, cudaEventRecordExternal); });
    add("cudaEventSynchronize: null", [] { return cudaEventSynchronize(nullptr); });
    add("cudaEventSynchronize: never recorded", [] { return cudaEventSynchronize(event()); });
    add("cudaEventQuery: null", [] { return cudaEventQuery(nullptr); });
    add("cudaEventQuery: never recorded", [] { return cudaEventQuery(event()); });
    add("cudaEventQuery: not ready", [] { auto e = event(); slow<<<1, 1>>>(device()); must(cudaEventRecord(e)); return cudaEventQuery(e); });
    add("cudaEventElapsedTime: never recorded", [] { float t; return cudaEventElapsedTime(&t, event(), event()); });
    add("cudaEventElapsedTime: the second never recorded", [] { float t; auto a = event(); must(cudaEventRecord(a)); must(cudaDeviceSynchronize()); return cudaEventElapsedTime(&t, a, event()); });
    add("cudaEventElapsedTime: without timing", [] { float t; auto a = event(cudaEventDisableTiming), b = event(); must(cudaEventRecord(a)); must(cudaEventRecord(b)); must(cudaDeviceSynchronize()); return cudaEventElapsedTime(&t, a, b); });
    add("cudaEventElapsedTime: not ready", [] { float t; auto a = event(), b = event(); must(cudaEventRecord(a)); slow<<<1, 1>>>(device()); must(cudaEventRecord(b)); return cudaEventElapsedTime(&t, a, b); });
    add("cudaEventElapsedTime: nowhere", [] { auto a = event(); must(cudaEventRecord(a)); must(cudaDeviceSynchronize()); return cudaEventElapsedTime(nullptr, a, a); });
    add("cudaEventElapsedTime: null", [] { float t; return cudaEventElapsedTime(&t, nullptr, nullptr); });
    add("cudaEventElapsedTime: destroyed", [] { float t; auto a = event(); must(cudaEventRecord(a)); must(cudaDeviceSynchronize()); must(cudaEventDestroy(a)); return cudaEventElapsedTime(&t, a, a); });
}

static void launches() {
    add("launch: 0 blocks", [] { return launch(nothing, 0, 32, 0); });
    add("launch: 0 threads", [] { return launch(nothing, 1, 0, 0); });
    add("launch: 0 blocks in y", [] { return launch(nothing, dim3(1, 0), 32, 0); });
    add("launch: 1025 threads", [] { return launch(nothing, 1, 1025, 0); });
    add("launch: 2048 threads", [] { return launch(nothing, 1, 2048, 0); });
    add("launch: 32 x 33 threads", [] { return launch(nothing, 1, dim3(32, 33), 0); });
    add("launch: 65 threads in z", [] { return launch(nothing, 1, dim3(1, 1, 65), 0); });
    add("launch: 65536 blocks in y", [] { return launch(nothing, dim3(1, 65536), 1, 0); });
    add("launch: 70000 blocks in z", [] { return launch(nothing, dim3(1, 1, 70000), 1, 0); });
    add("launch: 2^31 blocks in x", [] { return launch(nothing, dim3(1u << 31), 1, 0); });
    add("launch: more threads than its bounds", [] { return launch(narrow, 1, 256, 0, device()); });
    add("launch: 48 KiB of dynamic shared memory and a byte", [] { return launch(dynamic, 1, 32, 49153, device()); });
    add("launch: 1 MiB of dynamic shared memory", [] { return launch(dynamic, 1, 32, 1 << 20, device()); });
    add("launch: static and dynamic shared memory above 48 KiB", [] { return launch(large_static, 1, 32, 16385, device()); });
    add("launch: static and dynamic shared memory of 48 KiB", [] { return launch(large_static, 1, 32, 16384, device()); });
    add("launch: 100 KiB, allowed", [] { must(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10)); return launch(dynamic, 1, 32, 100 << 10, device()); });
    add("launch: 100 KiB, 64 allowed", [] { must(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10)); return launch(dynamic, 1, 32, 100 << 10, device()); });
    add("launch: 48 KiB, 16 allowed", [] { must(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 16 << 10)); return launch(dynamic, 1, 32, 48 << 10, device()); });
    add("launch: no kernel", [] { return cudaLaunchKernel((const void*)nullptr, 1, 1, nullptr, 0, 0); });
    add("launch: a function of the host", [] { void* args[] = {nullptr}; return cudaLaunchKernel((const void*)not_a_kernel, 1, 1, args, 0, 0); });
    add("launch: 0 blocks, seen by cudaGetLastError", [] { nothing<<<0, 1>>>(); return cudaGetLastError(); });
    add("launch: 0 blocks, seen by cudaPeekAtLastError", [] { nothing<<<0, 1>>>(); return cudaPeekAtLastError(); });
    add("launch: 0 blocks, after another error", [] { (void)cudaSetDevice(99); return launch(nothing, 0, 1, 0); });
    add("launch: good, after another error", [] { (void)cudaSetDevice(99); return launch(nothing, 1, 1, 0); });
    add("cudaMalloc: good, after another error", [] { (void)cudaSetDevice(99); void* p; return cudaMalloc(&p, 16); });
    add("cooperative: too many blocks", [] { void* args[] = {nullptr}; return cudaLaunchCooperativeKernel((const void*)nothing, 1 << 20, 1024, args, 0, 0); });
    add("cooperative: 0 blocks", [] { void* args[] = {nullptr}; return cudaLaunchCooperativeKernel((const void*)nothing, 0, 32, args, 0, 0); });
    add("cooperative: a function of the host", [] { void* args[] = {nullptr}; return cudaLaunchCooperativeKernel((const void*)not_a_kernel, 1, 32, args, 0, 0); });
    add("cudaLaunchKernelExC: no configuration", [] { void* args[] = {nullptr}; return cudaLaunchKernelExC(nullptr, (const void*)nothing, args); });
    add("cudaLaunchKernelExC: right", [] { void* args[] = {nullptr}; cudaLaunchConfig_t c{}; c.gridDim = c.blockDim = 1; return cudaLaunchKernelExC(&c, (const void*)nothing, args); });
    add("cudaLaunchKernelExC: attributes that are not there", [] { void* args[] = {nullptr}; cudaLaunchConfig_t c{}; c.gridDim = c.blockDim = 1; c.numAttrs = 1; return cudaLaunchKernelExC(&c, (const void*)nothing, args); });
    add("cudaLaunchKernelExC: attribute 99", [] { void* args[] = {nullptr}; cudaLaunchAttribute a{}; a.id = (cudaLaunchAttributeID)99; cudaLaunchConfig_t c{}; c.gridDim = c.blockDim = 1; c.attrs = &a; c.numAttrs = 1; return cudaLaunchKernelExC(&c, (const void*)nothing, args); });
    add("cudaLaunchKernelExC: cooperative, too many blocks", [] { void* args[] = {nullptr}; cudaLaunchAttribute a{}; a.id = cudaLaunchAttributeCooperative; a.val.cooperative = 1; cudaLaunchConfig_t c{}; c.gridDim = 1 << 20; c.blockDim = 1024; c.attrs = &a; c.numAttrs = 1; return cudaLaunchKernelExC(&c, (const void*)nothing, args); });
    add("cudaLaunchKernelExC: priority 99", [] { void* args[] = {nullptr}; cudaLaunchAttribute a{}; a.id = cudaLaunchAttributePriority; a.val.priority = 99; cudaLaunchConfig_t c{}; c.gridDim = c.blockDim = 1; c.attrs = &a; c.numAttrs = 1; return cudaLaunchKernelExC(&c, (const void*)nothing, args); });
    add("cudaLaunchKernelExC: 0 threads", [] { void* args[] = {nullptr}; cudaLaunchConfig_t c{}; c.gridDim = 1; c.blockDim = 0; return cudaLaunchKernelExC(&c, (const void*)nothing, args); });
    add("cudaFuncSetAttribute: attribute 99", [] { return cudaFuncSetAttribute(dynamic, (cudaFuncAttribute)99, 1); });
    add("cudaFuncSetAttribute: attribute 0", [] { return cudaFuncSetAttribute(dynamic, (cudaFuncAttribute)0, 1); });
    add("cudaFuncSetAttribute: 227 KiB", [] { return cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10); });
    add("cudaFuncSetAttribute: 227 KiB and a byte", [] { return cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, (227 << 10) + 1); });
    add("cudaFuncSetAttribute: 227 KiB with static shared memory", [] { return cudaFuncSetAttribute(large_static, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10); });
    add("cudaFuncSetAttribute: 195 KiB with 32 static", [] { return cudaFuncSetAttribute(large_static, cudaFuncAttributeMaxDynamicSharedMemorySize, 195 << 10); });
    add("cudaFuncSetAttribute: -1 bytes", [] { return cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, -1); });
    add("cudaFuncSetAttribute: carve-out 101", [] { return cudaFuncSetAttribute(dynamic, cudaFuncAttributePreferredSharedMemoryCarveout, 101); });
    add("cudaFuncSetAttribute: carve-out -1", [] { return cudaFuncSetAttribute(dynamic, cudaFuncAttributePreferredSharedMemoryCarveout, -1); });
    add("cudaFuncSetAttribute: carve-out -2", [] { return cudaFuncSetAttribute(dynamic, cudaFuncAttributePreferredSharedMemoryCarveout, -2); });
    add("cudaFuncSetAttribute: a function of the host", [] { return cudaFuncSetAttribute((const void*)not_a_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024); });
    add("cudaFuncSetAttribute: null", [] { return cudaFuncSetAttribute((const void*)nullptr, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024); });
    add("cudaFuncGetAttributes: nowhere", [] { return cudaFuncGetAttributes(nullptr, (const void*)nothing); });
    add("cudaFuncGetAttributes: a function of the host", [] { cudaFuncAttributes a; return cudaFuncGetAttributes(&a, (const void*)not_a_kernel); });
    add("cudaFuncGetAttributes: null", [] { cudaFuncAttributes a; return cudaFuncGetAttributes(&a, (const void*)nullptr); });
    add("cudaFuncSetCacheConfig: 9", [] { return cudaFuncSetCacheConfig((const void*)nothing, (cudaFuncCache)9); });
    add("cudaFuncSetCacheConfig: a function of the host", [] { return cudaFuncSetCacheConfig((const void*)not_a_kernel, cudaFuncCachePreferL1); });
    add("occupancy: nowhere", [] { return cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, (const void*)nothing, 32, 0); });
    add("occupancy: a function of the host", [] { int n; return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, (const void*)not_a_kernel, 32, 0); });
    add("occupancy: 0 threads", [] { int n; return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, (const void*)nothing, 0, 0); });
    add("occupancy: -1 threads", [] { int n; return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, (const void*)nothing, -1, 0); });
    add("occupancy: 2048 threads", [] { int n; return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, (const void*)nothing, 2048, 0); });
    add("occupancy: 1 MiB of shared memory", [] { int n; return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, (const void*)nothing, 32, 1 << 20); });
    add("occupancy: flags 9", [] { int n; return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&n, (const void*)nothing, 32, 0, 9); });
    add("available shared memory: nowhere", [] { return cudaOccupancyAvailableDynamicSMemPerBlock((size_t*)nullptr, (const void*)nothing, 1, 32); });
    add("available shared memory: 0 blocks", [] { size_t n; return cudaOccupancyAvailableDynamicSMemPerBlock(&n, (const void*)nothing, 0, 32); });
    add("available shared memory: 0 threads", [] { size_t n; return cudaOccupancyAvailableDynamicSMemPerBlock(&n, (const void*)nothing, 1, 0); });
    add("available shared memory: 100 blocks", [] { size_t n; return cudaOccupancyAvailableDynamicSMemPerBlock(&n, (const void*)nothing, 100, 32); });
}

static void kernels() {
    add("kernel: a trap", [] { return launch(trap, 1, 1, 0); });
    add("kernel: a trap, waited for", [] { must(launch(trap, 1, 1, 0)); return cudaDeviceSynchronize(); });
    add("kernel: a trap, waited for by its stream", [] { auto s = stream(); trap<<<1, 1, 0, s>>>(); return cudaStreamSynchronize(s); });
    add("kernel: a trap, found by a copy", [] { int* p = device(); must(launch(trap, 1, 1, 0)); return cudaMemcpy(pageable(), p, 4, cudaMemcpyDeviceToHost); });
    add("kernel: a trap, waited for by an event", [] { auto e = event(); must(launch(trap, 1, 1, 0)); must(cudaEventRecord(e)); return cudaEventSynchronize(e); });
    add("kernel: a failed assertion", [] { must(launch(failed_assertion, 1, 1, 0, 4)); return cudaDeviceSynchronize(); });
    add("kernel: a null pointer", [] { must(launch(fill, 1, 1, 0, (int*)nullptr, 1)); return cudaDeviceSynchronize(); });
    add("kernel: a host pointer out of nowhere", [] { must(launch(as_address, 1, 1, 0, 0x123456789000ull)); return cudaDeviceSynchronize(); });
    add("kernel: a write far away", [] { must(launch(far_away, 1, 1, 0, device(), 1ll << 38)); return cudaDeviceSynchronize(); });
    add("kernel: a read far away", [] { int* p = device(); must(launch(read_far, 1, 1, 0, p, (const int*)p, 1ll << 38)); return cudaDeviceSynchronize(); });
    add("kernel: an odd address", [] { must(launch(odd_address, 1, 1, 0, (char*)device())); return cudaDeviceSynchronize(); });
    add("kernel: an odd vector", [] { must(launch(odd_vector, 1, 1, 0, (float*)device())); return cudaDeviceSynchronize(); });
    add("kernel: recursion without an end", [] { must(launch(recursion, 1, 1, 0, device())); return cudaDeviceSynchronize(); });
    add("kernel: malloc of 1 TiB", [] { must(launch(heap, 1, 1, 0, (void**)device(), (size_t)1 << 40)); return cudaDeviceSynchronize(); });
    add("after a trap: cudaMemcpy", [] { int* p = device(); lost(); return cudaMemcpy(p, pageable(), 4, cudaMemcpyHostToDevice); });
    add("after a trap: cudaMemcpy of nothing", [] { int* p = device(); lost(); return cudaMemcpy(p, pageable(), 0, cudaMemcpyHostToDevice); });
    add("after a trap: cudaMemcpy within the host", [] { int *p = pageable(), *q = pageable(); lost(); return cudaMemcpy(p, q, 4, cudaMemcpyHostToHost); });
    add("after a trap: cudaMemset", [] { int* p = device(); lost(); return cudaMemset(p, 0, 4); });
    add("after a trap: cudaFree", [] { int* p = device(); lost(); return cudaFree(p); });
    add("after a trap: cudaFree of null", [] { lost(); return cudaFree(nullptr); });
    add("after a trap: cudaMalloc of 0 bytes", [] { lost(); void* p; return cudaMalloc(&p, 0); });
    add("after a trap: cudaMallocHost", [] { lost(); void* p; return cudaMallocHost(&p, 16); });
    add("after a trap: cudaFreeHost", [] { int* p = pinned(); lost(); return cudaFreeHost(p); });
    add("after a trap: a launch", [] { lost(); return launch(nothing, 1, 1, 0); });
    add("after a trap: a launch of 0 blocks", [] { lost(); return launch(nothing, 0, 1, 0); });
    add("after a trap: cudaStreamCreate", [] { lost(); cudaStream_t s; return cudaStreamCreate(&s); });
    add("after a trap: cudaStreamDestroy", [] { auto s = stream(); lost(); return cudaStreamDestroy(s); });
    add("after a trap: cudaStreamSynchronize", [] { auto s = stream(); lost(); return cudaStreamSynchronize(s); });
    add("after a trap: cudaStreamQuery", [] { auto s = stream(); lost(); return cudaStreamQuery(s); });
    add("after a trap: cudaStreamGetPriority", [] { auto s = stream(); int n; lost(); return cudaStreamGetPriority(s, &n); });
    add("after a trap: cudaEventCreate", [] { lost(); cudaEvent_t e; return cudaEventCreate(&e); });
    add("after a trap: cudaEventDestroy", [] { auto e = event(); lost(); return cudaEventDestroy(e); });
    add("after a trap: cudaEventRecord", [] { auto e = event(); lost(); return cudaEventRecord(e); });
    add("after a trap: cudaEventQuery", [] { auto e = event(); lost(); return cudaEventQuery(e); });
    add("after a trap: cudaGetDevice", [] { lost(); int n; return cudaGetDevice(&n); });
    add("after a trap: cudaSetDevice", [] { lost(); return cudaSetDevice(0); });
    add("after a trap: cudaSetDevice(99)", [] { lost(); return cudaSetDevice(99); });
    add("after a trap: cudaGetDeviceCount", [] { lost(); int n; return cudaGetDeviceCount(&n); });
    add("after a trap: cudaGetDeviceProperties", [] { lost(); cudaDeviceProp p; return cudaGetDeviceProperties(&p, 0); });
    add("after a trap: cudaDeviceGetAttribute", [] { lost(); int n; return cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 0); });
    add("after a trap: cudaDeviceGetLimit", [] { lost(); size_t n; return cudaDeviceGetLimit(&n, cudaLimitStackSize); });
    add("after a trap: cudaDriverGetVersion", [] { lost(); int n; return cudaDriverGetVersion(&n); });
    add("after a trap: cudaMemGetInfo", [] { lost(); size_t f, t; return cudaMemGetInfo(&f, &t); });
    add("after a trap: cudaFuncGetAttributes", [] { lost(); cudaFuncAttributes a; return cudaFuncGetAttributes(&a, (const void*)nothing); });
    add("after a trap: cudaFuncSetAttribute", [] { lost(); return cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024); });
    add("after a trap: cudaGetSymbolAddress", [] { void* p; lost(); return cudaGetSymbolAddress(&p, variable); });
    add("after a trap: cudaPointerGetAttributes", [] { int* p = device(); cudaPointerAttributes a; lost(); return cudaPointerGetAttributes(&a, p); });
    add("after a trap: occupancy", [] { int n; lost(); return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, (const void*)nothing, 32, 0); });
    add("after a trap: cudaMallocArray", [] { lost(); return make_array(cudaCreateChannelDesc<float>(), 16, 16); });
    add("after a trap: cudaCreateTextureObject", [] { auto a = array(); lost(); return texture(of_array(a)); });
    add("after a trap: cudaGetLastError", [] { lost(); return cudaGetLastError(); });
    add("after a trap: cudaPeekAtLastError", [] { lost(); return cudaPeekAtLastError(); });
    add("after a trap: cudaDeviceReset", [] { lost(); return cudaDeviceReset(); });
    add("after a trap and cudaDeviceReset: a kernel", [] { lost(); (void)cudaDeviceReset(); return launch(nothing, 1, 1, 0); });
    add("after a failed assertion: cudaMalloc", [] { must(launch(failed_assertion, 1, 1, 0, 4)); (void)cudaDeviceSynchronize(); void* p; return cudaMalloc(&p, 16); });
    add("after an odd address: cudaFree", [] { char* p = (char*)device(); must(launch(odd_address, 1, 1, 0, p)); (void)cudaDeviceSynchronize(); return cudaFree(p); });
}

static void objects() {
    add("texture: nowhere", [] { auto r = of_array(array()); cudaTextureDesc t{}; return cudaCreateTextureObject(nullptr, &r, &t, nullptr); });
    add("texture: no resource", [] { cudaTextureObject_t o; cudaTextureDesc t{}; return cudaCreateTextureObject(&o, nullptr, &t, nullptr); });
    add("texture: no description", [] { cudaTextureObject_t o; auto r = of_array(array()); return cudaCreateTextureObject(&o, &r, nullptr, nullptr); });
    add("texture: right", [] { return texture(of_array(array())); });
    add("texture: a null array", [] { return texture(of_array(nullptr)); });
    add("texture: resource type 9", [] { auto r = of_array(array()); r.resType = (cudaResourceType)9; return texture(r); });
    add("texture: linear", [] { return texture(linear(device(), 4096)); });
    add("texture: linear, null", [] { return texture(linear(nullptr, 4096)); });
    add("texture: linear, 0 bytes", [] { return texture(linear(device(), 0)); });
    add("texture: linear, a float later", [] { return texture(linear(device() + 1, 4092)); });
    add("texture: linear, 16 bytes later", [] { return texture(linear(device() + 4, 4080)); });
    add("texture: linear, 32 bytes later", [] { return texture(linear(device() + 8, 4064)); });
    add("texture: linear, 256 bytes later", [] { return texture(linear(device() + 64, 3840)); });
    add("texture: linear, 512 bytes later", [] { return texture(linear(device() + 128, 3584)); });
    add("texture: linear, beyond the end", [] { return texture(linear(device(4096), 1 << 23)); });
    add("texture: linear, too many texels", [] { return texture(linear(device(1 << 20), ((size_t)1 << 28) * 4 + 4)); });
    add("texture: linear, host memory", [] { return texture(linear(pageable(), 4096)); });
    add("texture: linear, page-locked memory", [] { return texture(linear(pinned(), 4096)); });
    add("texture: linear, three channels", [] { return texture(linear(device(), 4096, cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindFloat))); });
    add("texture: linear, no channels", [] { return texture(linear(device(), 4096, cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindFloat))); });
    add("texture: linear, linear filter", [] { cudaTextureDesc t{}; t.filterMode = cudaFilterModeLinear; return texture(linear(device(), 4096), t); });
    add("texture: linear, normalised coordinates", [] { cudaTextureDesc t{}; t.normalizedCoords = 1; return texture(linear(device(), 4096), t); });
    add("texture: pitched", [] { return texture(pitched(device(), 16, 16, 64)); });
    add("texture: pitched, null", [] { return texture(pitched(nullptr, 16, 16, 64)); });
    add("texture: pitched, pitch of 80", [] { return texture(pitched(device(), 16, 16, 80)); });
    add("texture: pitched, pitch of 72", [] { return texture(pitched(device(), 16, 16, 72)); });
    add("texture: pitched, pitch below the width", [] { return texture(pitched(device(), 16, 16, 32)); });
    add("texture: pitched, width 0", [] { return texture(pitched(device(), 0, 16, 64)); });
    add("texture: pitched, height 0", [] { return texture(pitched(device(), 16, 0, 64)); });
    add("texture: pitched, 16 bytes later", [] { return texture(pitched(device() + 4, 16, 15, 64)); });
    add("texture: pitched, 32 bytes later", [] { return texture(pitched(device() + 8, 16, 15, 64)); });
    add("texture: pitched, beyond the end", [] { return texture(pitched(device(), 16, 60000, 64)); });
    add("texture: pitched, 65001 high", [] { return texture(pitched(device(1 << 23), 16, 65001, 64)); });
    add("texture: integers with a linear filter", [] { cudaArray_t a; const auto d = cudaCreateChannelDesc<int>(); must(cudaMallocArray(&a, &d, 16, 16)); cudaTextureDesc t{}; t.filterMode = cudaFilterModeLinear; return texture(of_array(a), t); });
    add("texture: bytes with a linear filter", [] { cudaArray_t a; const auto d = cudaCreateChannelDesc<unsigned char>(); must(cudaMallocArray(&a, &d, 16, 16)); cudaTextureDesc t{}; t.filterMode = cudaFilterModeLinear; return texture(of_array(a), t); });
    add("texture: bytes as normalised floats with a linear filter", [] { cudaArray_t a; const auto d = cudaCreateChannelDesc<unsigned char>(); must(cudaMallocArray(&a, &d, 16, 16)); cudaTextureDesc t{}; t.filterMode = cudaFilterModeLinear; t.readMode = cudaReadModeNormalizedFloat; return texture(of_array(a), t); });
    add("texture: 32-bit integers as normalised floats", [] { cudaArray_t a; const auto d = cudaCreateChannelDesc<int>(); must(cudaMallocArray(&a, &d, 16, 16)); cudaTextureDesc t{}; t.readMode = cudaReadModeNormalizedFloat; return texture(of_array(a), t); });
    add("texture: floats as normalised floats", [] { cudaTextureDesc t{}; t.readMode = cudaReadModeNormalizedFloat; return texture(of_array(array()), t); });
    add("texture: address mode 9", [] { cudaTextureDesc t{}; t.addressMode[0] = (cudaTextureAddressMode)9; return texture(of_array(array()), t); });
    add("texture: filter mode 7", [] { cudaTextureDesc t{}; t.filterMode = (cudaTextureFilterMode)7; return texture(of_array(array()), t); });
    add("texture: read mode 5", [] { cudaTextureDesc t{}; t.readMode = (cudaTextureReadMode)5; return texture(of_array(array()), t); });
    add("texture: wrap without normalised coordinates", [] { cudaTextureDesc t{}; t.addressMode[0] = cudaAddressModeWrap; return texture(of_array(array()), t); });
    add("texture: mirror without normalised coordinates", [] { cudaTextureDesc t{}; t.addressMode[0] = t.addressMode[1] = cudaAddressModeMirror; return texture(of_array(array()), t); });
    add("texture: a view of linear memory", [] { cudaTextureObject_t o; auto r = linear(device(), 4096); cudaTextureDesc t{}; cudaResourceViewDesc v{}; v.format = cudaResViewFormatFloat1; v.width = 16; return cudaCreateTextureObject(&o, &r, &t, &v); });
    add("texture: of a freed array", [] { auto a = array(); must(cudaFreeArray(a)); return texture(of_array(a)); });
    add("cudaDestroyTextureObject: 0", [] { return cudaDestroyTextureObject(0); });
    add("cudaDestroyTextureObject: 999", [] { return cudaDestroyTextureObject(999); });
    add("cudaDestroyTextureObject: twice", [] { cudaTextureObject_t o; auto r = of_array(array()); cudaTextureDesc t{}; must(cudaCreateTextureObject(&o, &r, &t, nullptr)); must(cudaDestroyTextureObject(o)); return cudaDestroyTextureObject(o); });
    add("cudaGetTextureObjectResourceDesc: 0", [] { cudaResourceDesc r; return cudaGetTextureObjectResourceDesc(&r, 0); });
    add("cudaGetTextureObjectResourceDesc: destroyed", [] { cudaTextureObject_t o; auto r = of_array(array()); cudaTextureDesc t{}; must(cudaCreateTextureObject(&o, &r, &t, nullptr)); must(cudaDestroyTextureObject(o)); return cudaGetTextureObjectResourceDesc(&r, o); });
    add("cudaGetTextureObjectResourceDesc: nowhere", [] { cudaTextureObject_t o; auto r = of_array(array()); cudaTextureDesc t{}; must(cudaCreateTextureObject(&o, &r, &t, nullptr)); return cudaGetTextureObjectResourceDesc(nullptr, o); });
    add("surface: right", [] { return surface(of_array(array(32, 8, cudaArraySurfaceLoadStore))); });
    add("surface: nowhere", [] { auto r = of_array(array(32, 8, cudaArraySurfaceLoadStore)); return cudaCreateSurfaceObject(nullptr, &r); });
    add("surface: no resource", [] { cudaSurfaceObject_t o; return cudaCreateSurfaceObject(&o, nullptr); });
    add("surface: an array without its flag", [] { return surface(of_array(array())); });
    add("surface: linear memory", [] { return surface(linear(device(), 4096)); });
    add("surface: a null array", [] { return surface(of_array(nullptr)); });
    add("cudaDestroySurfaceObject: 0", [] { return cudaDestroySurfaceObject(0); });
    add("cudaDestroySurfaceObject: 999", [] { return cudaDestroySurfaceObject(999); });
    add("cudaDestroySurfaceObject: twice", [] { cudaSurfaceObject_t o; auto r = of_array(array(32, 8, cudaArraySurfaceLoadStore)); must(cudaCreateSurfaceObject(&o, &r)); must(cudaDestroySurfaceObject(o)); return cudaDestroySurfaceObject(o); });
    add("kernel: a destroyed texture", [] { cudaTextureObject_t o; auto r = of_array(array()); cudaTextureDesc t{}; must(cudaCreateTextureObject(&o, &r, &t, nullptr)); must(cudaDestroyTextureObject(o)); must(launch(fetch, 1, 1, 0, o, (float*)device())); return cudaDeviceSynchronize(); });
    add("kernel: texture 0", [] { must(launch(fetch, 1, 1, 0, (cudaTextureObject_t)0, (float*)device())); return cudaDeviceSynchronize(); });
}

static void devices() {
    add("cudaSetDevice: 99", [] { return cudaSetDevice(99); });
    add("cudaSetDevice: -1", [] { return cudaSetDevice(-1); });
    add("cudaGetDevice: nowhere", [] { return cudaGetDevice(nullptr); });
    add("cudaGetDeviceCount: nowhere", [] { return cudaGetDeviceCount(nullptr); });
    add("cudaGetDeviceProperties: nowhere", [] { return cudaGetDeviceProperties(nullptr, 0); });
    add("cudaGetDeviceProperties: device 99", [] { cudaDeviceProp p; return cudaGetDeviceProperties(&p, 99); });
    add("cudaDeviceGetAttribute: nowhere", [] { return cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0); });
    add("cudaDeviceGetAttribute: attribute 9999", [] { int n; return cudaDeviceGetAttribute(&n, (cudaDeviceAttr)9999, 0); });
    add("cudaDeviceGetAttribute: attribute 0", [] { int n; return cudaDeviceGetAttribute(&n, (cudaDeviceAttr)0, 0); });
    add("cudaDeviceGetAttribute: device 99", [] { int n; return cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 99); });
    add("cudaDeviceGetLimit: nowhere", [] { return cudaDeviceGetLimit(nullptr, cudaLimitStackSize); });
    add("cudaDeviceGetLimit: limit 99", [] { size_t n; return cudaDeviceGetLimit(&n, (cudaLimit)99); });
    add("cudaDeviceSetLimit: limit 99", [] { return cudaDeviceSetLimit((cudaLimit)99, 1); });
    add("cudaDeviceSetLimit: a stack of 4 KiB", [] { return cudaDeviceSetLimit(cudaLimitStackSize, 4096); });
    add("cudaDeviceSetLimit: a stack of 1 GiB", [] { return cudaDeviceSetLimit(cudaLimitStackSize, 1 << 30); });
    add("cudaDeviceSetLimit: a stack of 0", [] { return cudaDeviceSetLimit(cudaLimitStackSize, 0); });
    add("cudaDeviceSetLimit: a heap of 1 TiB", [] { return cudaDeviceSetLimit(cudaLimitMallocHeapSize, (size_t)1 << 40); });
    add("cudaDeviceSetLimit: heap after malloc in a kernel", [] { must(launch(heap, 1, 1, 0, (void**)device(), (size_t)64)); must(cudaDeviceSynchronize()); return cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 26); });
    add("cudaDeviceSetLimit: printf's buffer after printf", [] { must(launch(say, 1, 1, 0)); must(cudaDeviceSynchronize()); return cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 22); });
    add("cudaDeviceSetLimit: persisting L2", [] { return cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1 << 20); });
    add("cudaDeviceSetLimit: depth of synchronisation", [] { return cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 4); });
    add("cudaDeviceCanAccessPeer: itself", [] { int n; return cudaDeviceCanAccessPeer(&n, 0, 0); });
    add("cudaDeviceCanAccessPeer: device 99", [] { int n; return cudaDeviceCanAccessPeer(&n, 0, 99); });
    add("cudaDeviceCanAccessPeer: nowhere", [] { return cudaDeviceCanAccessPeer(nullptr, 0, 0); });
    add("cudaDeviceEnablePeerAccess: itself", [] { return cudaDeviceEnablePeerAccess(0, 0); });
    add("cudaDeviceEnablePeerAccess: device 99", [] { return cudaDeviceEnablePeerAccess(99, 0); });
    add("cudaDeviceDisablePeerAccess: itself", [] { return cudaDeviceDisablePeerAccess(0); });
    add("cudaDeviceSetCacheConfig: 9", [] { return cudaDeviceSetCacheConfig((cudaFuncCache)9); });
    add("cudaDeviceGetCacheConfig: nowhere", [] { return cudaDeviceGetCacheConfig(nullptr); });
    add("cudaDeviceSetSharedMemConfig: 9", [] { return cudaDeviceSetSharedMemConfig((cudaSharedMemConfig)9); });
    add("cudaSetDeviceFlags: unknown", [] { return cudaSetDeviceFlags(0xff00); });
    add("cudaSetDeviceFlags: two ways to wait", [] { return cudaSetDeviceFlags(cudaDeviceScheduleSpin | cudaDeviceScheduleYield); });
    add("cudaSetDeviceFlags: after memory was allocated", [] { (void)device(); return cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync); });
    add("cudaGetDeviceFlags: nowhere", [] { return cudaGetDeviceFlags(nullptr); });
    add("cudaInitDevice: device 99", [] { return cudaInitDevice(99, 0, 0); });
    add("cudaInitDevice: unknown flags", [] { return cudaInitDevice(0, 0xff00, cudaInitDeviceFlagsAreValid); });
    add("cudaInitDevice: unknown flags of the flags", [] { return cudaInitDevice(0, 0, 6); });
    add("cudaChooseDevice: nowhere", [] { cudaDeviceProp p{}; return cudaChooseDevice(nullptr, &p); });
    add("cudaChooseDevice: nothing wanted", [] { int n; return cudaChooseDevice(&n, nullptr); });
    add("cudaDeviceGetPCIBusId: nowhere", [] { return cudaDeviceGetPCIBusId(nullptr, 16, 0); });
    add("cudaDeviceGetPCIBusId: room for 2", [] { char text[16]; return cudaDeviceGetPCIBusId(text, 2, 0); });
    add("cudaDeviceGetPCIBusId: room for 0", [] { char text[16]; return cudaDeviceGetPCIBusId(text, 0, 0); });
    add("cudaDeviceGetPCIBusId: device 99", [] { char text[16]; return cudaDeviceGetPCIBusId(text, 16, 99); });
    add("cudaDeviceGetByPCIBusId: none", [] { int n; return cudaDeviceGetByPCIBusId(&n, "nonsense"); });
    add("cudaDeviceGetByPCIBusId: another", [] { int n; return cudaDeviceGetByPCIBusId(&n, "0000:fe:1f.0"); });
    add("cudaDriverGetVersion: nowhere", [] { return cudaDriverGetVersion(nullptr); });
    add("cudaRuntimeGetVersion: nowhere", [] { return cudaRuntimeGetVersion(nullptr); });
    add("cudaSetValidDevices: device 99", [] { int n = 99; return cudaSetValidDevices(&n, 1); });
    add("cudaDeviceReset: and old device memory", [] { int* p = device(); must(cudaDeviceReset()); return cudaMemcpy(p, pageable(), 4, cudaMemcpyHostToDevice); });
    add("cudaDeviceReset: and cudaFree", [] { int* p = device(); must(cudaDeviceReset()); return cudaFree(p); });
    add("cudaDeviceReset: and an old event", [] { auto e = event(); must(cudaDeviceReset()); return cudaEventQuery(e); });
    add("cudaDeviceReset: and an error before", [] { (void)cudaSetDevice(99); return cudaDeviceReset(); });
}

static int* managed(size_t bytes = 4096) {
    int* p = nullptr;
    must(cudaMallocManaged(&p, bytes));
    return p;
}
static cudaError_t with_attribute(int id, int value) {
    void* args[] = {nullptr};
    cudaLaunchAttribute a{};
    a.id = (cudaLaunchAttributeID)id;
    if (id == cudaLaunchAttributeClusterDimension) {
        a.val.clusterDim.x = value;
        a.val.clusterDim.y = a.val.clusterDim.z = 1;
    } else {
        a.val.priority = value;
    }
    cudaLaunchConfig_t c{};
    c.gridDim = 4;
    c.blockDim = 32;
    c.attrs = &a;
    c.numAttrs = 1;
    return cudaLaunchKernelExC(&c, (const void*)nothing, args);
}

static void shapes() {
    add("cudaMemcpy3D: one plane, higher than it is", [] { auto p = box_copy(pageable(), device(), make_cudaExtent(64, 5, 1), cudaMemcpyHostToDevice); return cudaMemcpy3D(&p); });
    add("cudaMemcpy3D: one plane, no height", [] { auto p = box_copy(pageable(), device(), make_cudaExtent(64, 4, 1), cudaMemcpyHostToDevice); p.srcPtr.ysize = p.dstPtr.ysize = 0; return cudaMemcpy3D(&p); });
    add("cudaMemcpy3D: one plane, higher with its position", [] { auto p = box_copy(pageable(), device(), make_cudaExtent(64, 3, 1), cudaMemcpyHostToDevice); p.dstPos.y = 2; return cudaMemcpy3D(&p); });
    add("cudaMemcpy3D: one row, pitch 0", [] { auto p = box_copy(pageable(), device(), make_cudaExtent(64, 1, 1), cudaMemcpyHostToDevice); p.srcPtr.pitch = p.dstPtr.pitch = 0; return cudaMemcpy3D(&p); });
    add("cudaMemcpy3D: one row, pitch below the width", [] { auto p = box_copy(pageable(), device(), make_cudaExtent(64, 1, 1), cudaMemcpyHostToDevice); p.srcPtr.pitch = p.dstPtr.pitch = 32; return cudaMemcpy3D(&p); });
    add("cudaMemcpy3D: xsize below the width", [] { auto p = box_copy(pageable(), device(), make_cudaExtent(64, 4, 2), cudaMemcpyHostToDevice); p.srcPtr.xsize = p.dstPtr.xsize = 8; return cudaMemcpy3D(&p); });
    add("cudaMemcpy3D: another plane that is not there", [] { auto p = box_copy(pageable(), device(1024), make_cudaExtent(64, 4, 1), cudaMemcpyHostToDevice); p.dstPos.z = 4; return cudaMemcpy3D(&p); });
    for (int kind = 0; kind < 5; ++kind) {
        const auto name = ", kind " + std::to_string(kind);
        add("cudaMemcpy3D: device to array" + name, kind, 0, 0, [](int number, int, int) { const auto k = (cudaMemcpyKind)number; auto p = box_copy(device(), nullptr, make_cudaExtent(16, 4, 1), k); p.dstPtr = {}; p.dstArray = array(); return cudaMemcpy3D(&p); });
        add("cudaMemcpy3D: pageable to array" + name, kind, 0, 0, [](int number, int, int) { const auto k = (cudaMemcpyKind)number; auto p = box_copy(pageable(), nullptr, make_cudaExtent(16, 4, 1), k); p.dstPtr = {}; p.dstArray = array(); return cudaMemcpy3D(&p); });
        add("cudaMemcpy3D: page-locked to array" + name, kind, 0, 0, [](int number, int, int) { const auto k = (cudaMemcpyKind)number; auto p = box_copy(pinned(), nullptr, make_cudaExtent(16, 4, 1), k); p.dstPtr = {}; p.dstArray = array(); return cudaMemcpy3D(&p); });
        add("cudaMemcpy3D: array to pageable" + name, kind, 0, 0, [](int number, int, int) { const auto k = (cudaMemcpyKind)number; auto p = box_copy(nullptr, pageable(), make_cudaExtent(16, 4, 1), k); p.srcPtr = {}; p.srcArray = array(); return cudaMemcpy3D(&p); });
        add("cudaMemcpy3D: array to device" + name, kind, 0, 0, [](int number, int, int) { const auto k = (cudaMemcpyKind)number; auto p = box_copy(nullptr, device(), make_cudaExtent(16, 4, 1), k); p.srcPtr = {}; p.srcArray = array(); return cudaMemcpy3D(&p); });
        add("cudaMemcpy2DToArray: from device" + name, kind, 0, 0, [](int number, int, int) { const auto k = (cudaMemcpyKind)number; return cudaMemcpy2DToArray(array(), 0, 0, device(), 128, 128, 8, k); });
        add("cudaMemcpy2DToArray: from pageable" + name, kind, 0, 0, [](int number, int, int) { const auto k = (cudaMemcpyKind)number; return cudaMemcpy2DToArray(array(), 0, 0, pageable(), 128, 128, 8, k); });
        add("cudaMemcpy2DFromArray: to device" + name, kind, 0, 0, [](int number, int, int) { const auto k = (cudaMemcpyKind)number; return cudaMemcpy2DFromArray(device(), 128, array(), 0, 0, 128, 8, k); });
        add("cudaMemcpy2DFromArray: to pageable" + name, kind, 0, 0, [](int number, int, int) { const auto k = (cudaMemcpyKind)number; return cudaMemcpy2DFromArray(pageable(), 128, array(), 0, 0, 128, 8, k); });
        add("cudaMemcpyToSymbol: from page-locked" + name, kind, 0, 0, [](int number, int, int) { const auto k = (cudaMemcpyKind)number; return cudaMemcpyToSymbol(variable, pinned(), 4, 0, k); });
        add("cudaMemcpyFromSymbol: to device" + name, kind, 0, 0, [](int number, int, int) { const auto k = (cudaMemcpyKind)number; return cudaMemcpyFromSymbol(device(), variable, 4, 0, k); });
        add("cudaMemcpyFromSymbol: to pageable" + name, kind, 0, 0, [](int number, int, int) { const auto k = (cudaMemcpyKind)number; return cudaMemcpyFromSymbol(pageable(), variable, 4, 0, k); });
        add("cudaMemcpy: pageable to managed" + name, kind, 0, 0, [](int number, int, int) { const auto k = (cudaMemcpyKind)number; return cudaMemcpy(managed(), pageable(), 64, k); });
        add("cudaMemcpy: managed to pageable" + name, kind, 0, 0, [](int number, int, int) { const auto k = (cudaMemcpyKind)number; return cudaMemcpy(pageable(), managed(), 64, k); });
        add("cudaMemcpy: device to managed" + name, kind, 0, 0, [](int number, int, int) { const auto k = (cudaMemcpyKind)number; return cudaMemcpy(managed(), device(), 64, k); });
        add("cudaMemcpy: managed to page-locked" + name, kind, 0, 0, [](int number, int, int) { const auto k = (cudaMemcpyKind)number; return cudaMemcpy(pinned(), managed(), 64, k); });
    }
    add("cudaMemset3D: one plane, higher than it is", [] { return cudaMemset3D(make_cudaPitchedPtr(device(), 64, 64, 2), 0, make_cudaExtent(32, 4, 1)); });
    add("cudaMemset3D: one row, pitch below the width", [] { return cudaMemset3D(make_cudaPitchedPtr(device(), 16, 16, 1), 0, make_cudaExtent(32, 1, 1)); });
    add("cudaMemset: managed, beyond the end", [] { return cudaMemset(managed(64), 0, 68); });
    add("cudaMemset: page-locked, beyond the end", [] { return cudaMemset(pinned(64), 0, 8192); });
    add("cudaMemcpy: page-locked, beyond the end", [] { return cudaMemcpy(device(1 << 20), pinned(64), 1 << 14, cudaMemcpyHostToDevice); });
    add("cudaMemcpy2DArrayToArray: host to host", [] { return cudaMemcpy2DArrayToArray(array(), 0, 0, array(), 0, 0, 128, 8, cudaMemcpyHostToHost); });
    add("cudaMemcpy2DArrayToArray: host to device", [] { return cudaMemcpy2DArrayToArray(array(), 0, 0, array(), 0, 0, 128, 8, cudaMemcpyHostToDevice); });
    add("cudaMemcpy2DArrayToArray: default", [] { return cudaMemcpy2DArrayToArray(array(), 0, 0, array(), 0, 0, 128, 8, cudaMemcpyDefault); });
    add("cudaMemcpy2DArrayToArray: null", [] { return cudaMemcpy2DArrayToArray(nullptr, 0, 0, array(), 0, 0, 128, 8); });
    add("cudaMalloc3DArray: a cube", [] { return make_box(4, 4, 6, cudaArrayCubemap); });
    add("cudaMalloc3DArray: layers of a cube", [] { return make_box(4, 4, 12, cudaArrayCubemap | cudaArrayLayered); });
    add("cudaMalloc3DArray: sparse", [] { return make_box(64, 64, 0, cudaArraySparse); });
    add("cudaMallocManaged: nowhere", [] { return cudaMallocManaged((void**)nullptr, 16); });
    add("cudaMallocManaged: 0 bytes", [] { void* p; return cudaMallocManaged(&p, 0); });
    add("cudaMallocManaged: flags 9", [] { void* p; return cudaMallocManaged(&p, 16, 9); });
    add("cudaMallocManaged: flags 0", [] { void* p; return cudaMallocManaged(&p, 16, 0); });
    add("cudaFreeHost: managed", [] { return cudaFreeHost(managed()); });
    add("cudaFreeAsync: managed", [] { return cudaFreeAsync(managed(), 0); });
    add("cudaHostGetDevicePointer: managed", [] { void* d; return cudaHostGetDevicePointer(&d, managed(), 0); });
    add("cudaHostGetDevicePointer: registered", [] { int* p = pageable(); void* d; must(cudaHostRegister(p, 4096, 0)); return cudaHostGetDevicePointer(&d, p, 0); });
    add("cudaHostRegister: managed", [] { return cudaHostRegister(managed(), 4096, 0); });
}

static void rest() {
    for (int id = 0; id < 18; ++id) {
        add("cudaLaunchKernelExC: attribute " + std::to_string(id) + " of 0", id, 0, 0, [](int id, int value, int) { return with_attribute(id, value); });
        add("cudaLaunchKernelExC: attribute " + std::to_string(id) + " of 1", id, 1, 0, [](int id, int value, int) { return with_attribute(id, value); });
    }
    add("cudaLaunchKernelExC: clusters of 2", [] { return with_attribute(4, 2); });
    add("cudaLaunchKernelExC: clusters of 3", [] { return with_attribute(4, 3); });
    add("cudaLaunchKernelExC: clusters of 64", [] { return with_attribute(4, 64); });
    for (int attribute = 8; attribute < 17; ++attribute) {
        for (const int value : {-1, 0, 1, 2, 3}) {
            add("cudaFuncSetAttribute: attribute " + std::to_string(attribute) + " to " + std::to_string(value), attribute, value, 0, [](int a, int v, int) { return cudaFuncSetAttribute(dynamic, (cudaFuncAttribute)a, v); });
        }
    }
    for (const int bytes : {65536, 131072, 262144, 524288, 524289, 1 << 20}) {
        add("cudaDeviceSetLimit: a stack of " + std::to_string(bytes), bytes, 0, 0, [](int n, int, int) { return cudaDeviceSetLimit(cudaLimitStackSize, n); });
    }
    for (int limit = 3; limit < 9; ++limit) {
        add("cudaDeviceGetLimit: limit " + std::to_string(limit), limit, 0, 0, [](int l, int, int) { size_t n; return cudaDeviceGetLimit(&n, (cudaLimit)l); });
        add("cudaDeviceSetLimit: limit " + std::to_string(limit) + " to 1000", limit, 0, 0, [](int l, int, int) { return cudaDeviceSetLimit((cudaLimit)l, 1000); });
    }
    add("cudaStreamWaitEvent: external", [] { return cudaStreamWaitEvent(stream(), event(), cudaEventWaitExternal); });
    add("cudaFuncSetSharedMemConfig: 3", [] { return cudaFuncSetSharedMemConfig((const void*)nothing, (cudaSharedMemConfig)3); });
    add("cudaGetKernel: a function of the host", [] { cudaKernel_t k; return cudaGetKernel(&k, (const void*)not_a_kernel); });
    add("cudaGetFuncBySymbol: a function of the host", [] { cudaFunction_t f; return cudaGetFuncBySymbol(&f, (const void*)not_a_kernel); });
    add("cudaMemPoolDestroy: after cudaMemPoolCreate", [] { cudaMemPool_t p; cudaMemPoolProps props{}; props.allocType = cudaMemAllocationTypePinned; props.location.type = cudaMemLocationTypeDevice; must(cudaMemPoolCreate(&p, &props)); return cudaMemPoolDestroy(p); });
    add("cudaMemPoolCreate: device 99", [] { cudaMemPool_t p; cudaMemPoolProps props{}; props.allocType = cudaMemAllocationTypePinned; props.location.type = cudaMemLocationTypeDevice; props.location.id = 99; return cudaMemPoolCreate(&p, &props); });
    add("cudaDeviceSetMemPool: no pool", [] { return cudaDeviceSetMemPool(0, nullptr); });
    add("cudaDeviceGetMemPool: nowhere", [] { return cudaDeviceGetMemPool(nullptr, 0); });
    add("cudaDeviceGetMemPool: device 99", [] { cudaMemPool_t p; return cudaDeviceGetMemPool(&p, 99); });
    add("cudaMemPoolSetAttribute: reuse to 7", [] { cudaMemPool_t p; int v = 7; must(cudaDeviceGetDefaultMemPool(&p, 0)); return cudaMemPoolSetAttribute(p, cudaMemPoolReuseAllowOpportunistic, &v); });
    add("cudaMemPoolSetAttribute: used memory to 0", [] { cudaMemPool_t p; uint64_t v = 0; must(cudaDeviceGetDefaultMemPool(&p, 0)); return cudaMemPoolSetAttribute(p, cudaMemPoolAttrUsedMemHigh, &v); });
    add("cudaGetSurfaceObjectResourceDesc: 0", [] { cudaResourceDesc r; return cudaGetSurfaceObjectResourceDesc(&r, 0); });
    add("cudaGetTextureObjectTextureDesc: 0", [] { cudaTextureDesc t; return cudaGetTextureObjectTextureDesc(&t, 0); });
    add("cudaGetTextureObjectTextureDesc: 999", [] { cudaTextureDesc t; return cudaGetTextureObjectTextureDesc(&t, 999); });
    add("cudaSetValidDevices: null", [] { return cudaSetValidDevices(nullptr, 0); });
    add("cudaSetValidDevices: null, one", [] { return cudaSetValidDevices(nullptr, 1); });
    add("cudaSetValidDevices: -1", [] { int n = 0; return cudaSetValidDevices(&n, -1); });
    add("cudaDeviceGetSharedMemConfig: nowhere", [] { return cudaDeviceGetSharedMemConfig(nullptr); });
    add("cudaMemset: 0 bytes, after a trap", [] { int* p = device(); lost(); return cudaMemset(p, 0, 0); });
    add("cudaMemcpy2D: nothing, after a trap", [] { int* p = device(); lost(); return cudaMemcpy2D(p, 64, pageable(), 64, 0, 4, cudaMemcpyHostToDevice); });
    add("cudaMemcpy3D: nothing, after a trap", [] { lost(); cudaMemcpy3DParms p{}; return cudaMemcpy3D(&p); });
    add("cudaFreeArray: null, after a trap", [] { lost(); return cudaFreeArray(nullptr); });
    add("cudaFreeHost: null, after a trap", [] { lost(); return cudaFreeHost(nullptr); });
    add("cudaFreeAsync: null, after a trap", [] { lost(); return cudaFreeAsync(nullptr, 0); });
    add("cudaMallocAsync: 0 bytes, after a trap", [] { lost(); void* p; return cudaMallocAsync(&p, 0, 0); });
    add("cudaMallocPitch: nothing, after a trap", [] { lost(); void* p; size_t n; return cudaMallocPitch(&p, &n, 0, 0); });
    add("cudaMallocHost: 0 bytes, after a trap", [] { lost(); void* p; return cudaMallocHost(&p, 0); });
    add("cudaDestroyTextureObject: 0, after a trap", [] { lost(); return cudaDestroyTextureObject(0); });
    add("cudaHostGetFlags: after a trap", [] { int* p = pinned(); unsigned f; lost(); return cudaHostGetFlags(&f, p); });
    add("cudaHostRegister: after a trap", [] { int* p = pageable(); lost(); return cudaHostRegister(p, 4096, 0); });
    add("cudaDeviceSetLimit: after a trap", [] { lost(); return cudaDeviceSetLimit(cudaLimitStackSize, 4096); });
    add("cudaDeviceGetStreamPriorityRange: after a trap", [] { int a, b; lost(); return cudaDeviceGetStreamPriorityRange(&a, &b); });
    add("cudaDeviceGetDefaultMemPool: after a trap", [] { cudaMemPool_t p; lost(); return cudaDeviceGetDefaultMemPool(&p, 0); });
    add("cudaGetSymbolSize: after a trap", [] { size_t n; lost(); return cudaGetSymbolSize(&n, variable); });
    add("cudaArrayGetInfo: after a trap", [] { auto a = array(); cudaExtent e; lost(); return cudaArrayGetInfo(nullptr, &e, nullptr, a); });
    add("cudaStreamWaitEvent: after a trap", [] { auto s = stream(); auto e = event(); lost(); return cudaStreamWaitEvent(s, e, 0); });
    add("cudaEventElapsedTime: after a trap", [] { float t; auto e = event(); must(cudaEventRecord(e)); must(cudaDeviceSynchronize()); lost(); return cudaEventElapsedTime(&t, e, e); });
}

static void make(size_t number) {
    current = number;
    const Mistake& m = mistakes[number];
    const cudaError_t call = m.call != nullptr ? m.call() : m.with(m.numbers[0], m.numbers[1], m.numbers[2]);
    const cudaError_t last = cudaGetLastError();
    const cudaError_t wait = cudaDeviceSynchronize();
    void* p = nullptr;
    const cudaError_t allocate = cudaMalloc(&p, 16);
    printf("%zu\t%s\t%d\t%d\t%d\t%d\n", number, m.what.c_str(), call, last, wait, allocate);
    fflush(stdout);
    _exit(0);
}

int main(int count, char** arguments) {
    memory();
    copies();
    arrays();
    symbols();
    streams();
    launches();
    kernels();
    objects();
    devices();
    shapes();
    rest();
    if (count == 2 && strcmp(arguments[1], "all") != 0) {
        const size_t number = strtoul(arguments[1], nullptr, 10);
        if (number < mistakes.size()) {
            make(number);
        }
        return 1;
    }
    // this process never calls CUDA, so its children start without a context
    for (size_t number = 0; number < mistakes.size(); ++number) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(60);
            make(number);
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (WIFSIGNALED(status)) {
            printf("%zu\t%s\tsignal %d\n", number, mistakes[number].what.c_str(), WTERMSIG(status));
            fflush(stdout);
        }
    }
}
