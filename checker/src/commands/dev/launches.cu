
// Follows a program's source: each launch waits for its end between two events, and what the launches took adds up.
#include <cuda_runtime.h>

static double workbook_spent = 0.0;  // milliseconds

extern "C" cudaError_t __real_cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** args, size_t shared,
                                               cudaStream_t stream);

extern "C" cudaError_t __wrap_cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** args, size_t shared,
                                               cudaStream_t stream) {
    cudaEvent_t start = nullptr;
    cudaEvent_t end = nullptr;
    cudaEventCreate(&start);
    cudaEventCreate(&end);
    cudaEventRecord(start, stream);
    const cudaError_t status = __real_cudaLaunchKernel(kernel, grid, block, args, shared, stream);
    cudaEventRecord(end, stream);
    cudaEventSynchronize(end);
    float milliseconds = 0.0f;
    cudaEventElapsedTime(&milliseconds, start, end);
    workbook_spent += milliseconds;
    cudaEventDestroy(start);
    cudaEventDestroy(end);
    return status;
}

// What all launches took since this was asked last.
extern "C" double workbook_kernel_milliseconds() {
    const double spent = workbook_spent;
    workbook_spent = 0.0;
    return spent;
}
