// roundtrip | chapter 2 | "There and back"
//
// Goal    compute out = sin(a), element by element, on the device.
//
// a       [n]  f32, in the host's memory, read only
// out     [n]  f32, in the host's memory, every element must be written
// n       count
//
// Run     cargo checker check roundtrip        Stuck?  cargo checker hint roundtrip

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    float* d_a = nullptr;    // will point to n floats on the device
    float* d_out = nullptr;  // the same, for the results

    // TODO 1: allocate both arrays on the device (cudaMalloc).

    // TODO 2: copy a to the device (cudaMemcpy).

    // TODO 3: launch the kernel on the device's arrays, one thread for each element.

    // TODO 4: copy the results back to out.

    // TODO 5: free both arrays (cudaFree).
}
