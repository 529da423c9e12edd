// error_checking | chapter 2 | "Checking for errors"
//
// Goal    double `data` in place, on the device, and record the error code of every step. When a
//         step fails, the program skips the remaining steps, leaves `data` as it was, and still
//         frees the memory.
//
// codes   [6]  i32, every element must be written: the cudaError_t of each step, or -1 for a
//              skipped step
//              0 cudaMalloc              3 waiting for the kernel
//              1 the copy in             4 the copy back
//              2 the launch              5 cudaFree, if step 0 allocated memory
// data    [n]  f32, in the host's memory, read and changed
// n       count
// bytes   number of bytes to allocate, in some cases far more than the device has
// threads number of threads in a block, in some cases more than a block can have
// bad     the element where the kernel stops with an error; if it is n, the kernel succeeds
//
// Run     cargo checker check error_checking   Stuck?  cargo checker hint error_checking

__global__ void twice(float* data, int n, int bad) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        if (idx == bad) {
            __trap();  // ends the kernel with an error, as a bad address would
        }
        data[idx] = 2.0f * data[idx];
    }
}

extern "C" void error_checking(int* codes, float* data, int n, unsigned long long bytes,
                               int threads, int bad) {
    float* d_data = nullptr;

    // TODO 1: no step has run yet. What must the codes contain at this point?

    // TODO 2: allocate `bytes` bytes. If that fails, is there anything left to do?

    // TODO 3: copy data to the device.

    // TODO 4: launch `twice` with `threads` threads in a block. A launch returns nothing, so how do
    //         you find out whether it failed?

    // TODO 5: if the launch succeeded, wait for the kernel. Does the kernel succeed, too?

    // TODO 6: copy the results back, if there are any.

    // TODO 7: free the memory, even if a step has failed after you allocated it.
}
