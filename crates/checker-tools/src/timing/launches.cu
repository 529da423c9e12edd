
// Appended to a program's source. Each launch is timed between two events, and the times are added up.
// The linker wraps __cudaLaunchKernel, which `<<<>>>` calls (crt/host_runtime.h of CUDA 13).
#include <cuda_runtime.h>

static double workbook_spent = 0.0;  // milliseconds

extern "C" cudaError_t __real___cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block,
                                                 void** args, size_t shared, cudaStream_t stream);

extern "C" cudaError_t __wrap___cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block,
                                                 void** args, size_t shared, cudaStream_t stream) {
    cudaEvent_t start = nullptr;
    cudaEvent_t end = nullptr;
    cudaEventCreate(&start);
    cudaEventCreate(&end);
    cudaEventRecord(start, stream);
    const cudaError_t status = __real___cudaLaunchKernel(kernel, grid, block, args, shared, stream);
    cudaEventRecord(end, stream);
    cudaEventSynchronize(end);
    float milliseconds = 0.0f;
    cudaEventElapsedTime(&milliseconds, start, end);
    workbook_spent += milliseconds;
    cudaEventDestroy(start);
    cudaEventDestroy(end);
    return status;
}

// Time of all launches since the last call, in milliseconds.
extern "C" double workbook_kernel_milliseconds() {
    const double spent = workbook_spent;
    workbook_spent = 0.0;
    return spent;
}
