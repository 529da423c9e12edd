// error_checking | chapter 2 | "Checking for errors"
//
// Goal    double `data` in place, on the device, and say of every step what the runtime said of it.
//         When a step fails, the rest is left out, `data` stays as it was, and the memory is given
//         back all the same.
//
// codes   [6]  i32, every element must be written: the cudaError_t of each step, -1 for a step that
//              was left out
//              0 cudaMalloc              3 waiting for the kernel
//              1 the copy in             4 the copy back
//              2 the launch              5 cudaFree, whenever step 0 gave memory
// data    [n]  f32, in the host's memory, read and changed
// n       count
// bytes   how much to allocate      in one case far more than there is
// threads in each block             in one case more than a block may have
// bad     the kernel gives up at this element; there is none when it is n
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

    // TODO 1: no step has been taken yet: what belongs in the codes?

    // TODO 2: get `bytes` bytes. When there are none, is there anything left to do?

    // TODO 3: copy data to the device.

    // TODO 4: launch twice with `threads` threads in a block. A launch returns nothing: whom do you
    //         ask?

    // TODO 5: the launch went well. Has the kernel? Wait, and you will hear.

    // TODO 6: bring the results back, if there are any.

    // TODO 7: give the memory back, whatever happened since you got it.
}
