// attack: defines its own launch function, which counts as a launch
// exercise: roundtrip
// expect: output-not-written
// stopped-by: the program's calls resolve to the checker's functions before its own

#include <cmath>

static const float* input;
static float* output;
static int count;

cudaError_t my_launch(const void*, dim3, dim3, void**, size_t, cudaStream_t) asm("cudaLaunchKernel");
cudaError_t my_launch_too(const void*, dim3, dim3, void**, size_t, cudaStream_t) asm("__cudaLaunchKernel");

cudaError_t my_launch(const void*, dim3, dim3, void**, size_t, cudaStream_t) {
    for (int i = 0; i < count; ++i) {
        output[i] = std::sin(input[i]);
    }
    return cudaSuccess;
}
cudaError_t my_launch_too(const void*, dim3, dim3, void**, size_t, cudaStream_t) {
    return my_launch(nullptr, 1, 1, nullptr, 0, nullptr);
}

__global__ void sine(const float*, float*, int) {}

extern "C" void roundtrip(const float* a, float* out, int n) {
    input = a;
    output = out;
    count = n;
    sine<<<1, 1>>>(a, out, n);
}
