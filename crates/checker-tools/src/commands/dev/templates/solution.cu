// Say in one to three sentences what the solution does, what it costs, and why it is good.
// For example, each thread takes one load and one store for its own element.

extern "C" __global__ void {{name}}(const float* a, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;  // 0 .. grid*block-1

    if (idx < n) {
        out[idx] = a[idx];
    }
}
