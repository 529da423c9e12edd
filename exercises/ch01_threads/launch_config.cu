// launch_config | chapter 1 | "How many blocks?"
//
// Goal    compute a*x + y for any n, in one launch, with whole warps and as few blocks as possible.
//
// a       factor
// x, y    [n]  f32, in the host's memory, read only
// out     [n]  f32, in the host's memory, every element must be written
// n       count  any n >= 1
//
// In this file, you see the host code that launches the kernel with `saxpy<<<grid, block>>>(...)`.
// The lines around the launch copy the data to the device and the results back. They are right, and
// chapter 2 explains them.
//
// The program is right for n = 1024 but wrong for n = 1025.
//
// Run     cargo checker check launch_config    Stuck?  cargo checker hint launch_config

__global__ void saxpy(float a, const float* x, const float* y, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        out[idx] = a * x[idx] + y[idx];
    }
}

extern "C" void launch_config(float a, const float* x, const float* y, float* out, int n) {
    const size_t bytes = n * sizeof(float);
    float *d_x, *d_y, *d_out;
    cudaMalloc(&d_x, bytes);
    cudaMalloc(&d_y, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_y, y, bytes, cudaMemcpyHostToDevice);

    const int block = 256;       // threads in each block
    const int grid = n / block;  // blocks
    saxpy<<<grid, block>>>(a, d_x, d_y, d_out, n);

    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    cudaFree(d_y);
    cudaFree(d_x);
}
