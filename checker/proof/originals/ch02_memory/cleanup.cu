// cleanup | chapter 2 | "Freeing memory"
//
// Goal    compute y = a*x + y `rounds` times. Keep at most three arrays on the device at once, and
//         free all of them. Neither the host nor the device may read memory before its data
//         has arrived, or use memory after the program has freed it.
//
// a       factor
// x       [n]  f32, in the host's memory, read only
// y       [n]  f32, in the host's memory, read and changed
// n       count
// rounds  number of repetitions
//
// `received` is page-locked memory, so cudaMemcpyAsync copies to it while the host continues. This
// program has two mistakes, although it may compute the right results on a GPU.
//
// Run     cargo checker check cleanup          Stuck?  cargo checker hint cleanup

__global__ void saxpy(float a, const float* x, const float* y, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        out[idx] = a * x[idx] + y[idx];
    }
}

// An array of n floats on the device, which the constructor allocates.
struct DeviceBuffer {
    float* data = nullptr;

    explicit DeviceBuffer(int n) {
        cudaMalloc(&data, n * sizeof(float));
    }
};

extern "C" void cleanup(float a, const float* x, float* y, int n, int rounds) {
    const size_t bytes = n * sizeof(float);
    float* received = nullptr;
    cudaMallocHost(&received, bytes);

    for (int round = 0; round < rounds; ++round) {
        DeviceBuffer d_x(n), d_y(n), d_out(n);
        cudaMemcpy(d_x.data, x, bytes, cudaMemcpyHostToDevice);
        cudaMemcpy(d_y.data, y, bytes, cudaMemcpyHostToDevice);
        saxpy<<<(n + 255) / 256, 256>>>(a, d_x.data, d_y.data, d_out.data, n);
        cudaMemcpyAsync(received, d_out.data, bytes, cudaMemcpyDeviceToHost);
        for (int i = 0; i < n; ++i) {
            y[i] = received[i];
        }
    }

    cudaFreeHost(received);
}
