// expect: compile-error
// Contains inline assembly that is not PTX, which NVRTC passes on unread.

extern "C" __global__ void guard(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        asm("hello");
        out[i] = a[i] + 10.0f;
    }
}
