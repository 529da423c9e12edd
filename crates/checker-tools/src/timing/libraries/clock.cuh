// Stands before each program of this folder. Times what a library does with data that is on the device, as a kernel's launches are
// timed: nine times, after one that doesn't count.
#include <cuda_runtime.h>

#include <algorithm>
#include <vector>

static double workbook_median = 0.0;  // milliseconds; 0 if nothing was timed

// An array on the device that lives as long as the call.
template <typename T>
struct OnDevice {
    T* data = nullptr;
    size_t count;

    OnDevice(size_t n, const T* from) : count(n) {
        if (cudaMalloc(&data, n * sizeof(T)) == cudaSuccess && from) {
            cudaMemcpy(data, from, n * sizeof(T), cudaMemcpyHostToDevice);
        }
    }
    OnDevice(const OnDevice&) = delete;
    ~OnDevice() { cudaFree(data); }

    void copy_to(T* host) const { cudaMemcpy(host, data, count * sizeof(T), cudaMemcpyDeviceToHost); }
};

template <typename Work>
void timed(Work work) {
    work();
    cudaEvent_t start, end;
    cudaEventCreate(&start);
    cudaEventCreate(&end);
    std::vector<float> times(9);
    for (float& time : times) {
        cudaEventRecord(start);
        work();
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&time, start, end);
    }
    std::sort(times.begin(), times.end());
    const bool failed = cudaDeviceSynchronize() != cudaSuccess;
    workbook_median = failed ? 0.0 : times[times.size() / 2];
    cudaEventDestroy(start);
    cudaEventDestroy(end);
}

extern "C" double workbook_kernel_milliseconds() {
    return workbook_median;
}

extern "C" int workbook_finish() {
    return cudaDeviceSynchronize();
}

// A timed program's launches are counted by a function with this name (launches.cu). Here, they're timed together.
extern "C" cudaError_t __real___cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** args, size_t shared,
                                                 cudaStream_t stream);

extern "C" cudaError_t __wrap___cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** args, size_t shared,
                                                 cudaStream_t stream) {
    return __real___cudaLaunchKernel(kernel, grid, block, args, shared, stream);
}
