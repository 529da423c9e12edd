// stencil_1d | chapter 4 | "Dynamic shared memory"
//
// Goal    compute out[i] = in[i - radius] + ... + in[i] + ... + in[i + radius]. If radius is 32,
//         use at most 1.25 loads from global memory for each element. This kernel needs nearly 65.
//
// in      [n]     f32, in the host's memory, read only
// out     [n]     f32, in the host's memory, every element must be written
// n       count   any n >= 1
// radius  count   any radius >= 0; elements before the first and after the last one count as 0
//
// The sums are right, but up to 2 * radius + 1 threads load each element, and many of these threads
// are in the same block. Let the block load each element once, into a tile of BLOCK + 2 * radius
// floats. The program knows this number only when it launches the kernel.
//
// Run     cargo checker check stencil_1d       Stuck?  cargo checker hint stencil_1d

constexpr int BLOCK = 256;  // threads of a block

__global__ void sum_around(const float* in, float* out, int n, int radius) {
    const int idx = blockIdx.x * BLOCK + threadIdx.x;  // 0 .. at least n-1

    if (idx < n) {
        float sum = 0.0f;
        for (int i = idx - radius; i <= idx + radius; ++i) {
            sum += (0 <= i && i < n) ? in[i] : 0.0f;
        }
        out[idx] = sum;
    }
}

extern "C" void stencil_1d(const float* in, float* out, int n, int radius) {
    const size_t bytes = n * sizeof(float);
    float *d_in, *d_out;
    cudaMalloc(&d_in, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice);

    const int grid = (n + BLOCK - 1) / BLOCK;
    sum_around<<<grid, BLOCK>>>(d_in, d_out, n, radius);

    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    cudaFree(d_in);
}
