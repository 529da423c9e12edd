// expect: compile-error
// Inline assembly that is no PTX: NVRTC passes it on as it is.

extern "C" __global__ void guard(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        asm("hello");
        out[i] = a[i] + 10.0f;
    }
}
