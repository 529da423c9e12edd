// cleanup | chapter 2 | "Freeing memory"
//
// Goal    y = a*x + y, `rounds` times over. Never more than three arrays on the device at once,
//         none left at the end, and no kernel or copy uses memory before it is ready or after
//         it was freed.
//
// a       factor
// x       [n]  f32, in the host's memory, read only
// y       [n]  f32, in the host's memory, read and changed
// n       count
// rounds  how often
//
// The memory `fetched` is page-locked: cudaMemcpyAsync copies to such memory while the host goes
// on. Two things are wrong with this program. It may well print the right answer on a GPU.
//
// Run     cargo checker check cleanup          Stuck?  cargo checker hint cleanup

__global__ void saxpy(float a, const float* x, const float* y, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        out[idx] = a * x[idx] + y[idx];
    }
}

// An array of n floats on the device, which it gets when it is made.
struct DeviceBuffer {
    float* data = nullptr;

    explicit DeviceBuffer(int n) {
        cudaMalloc(&data, n * sizeof(float));
    }
};

extern "C" void cleanup(float a, const float* x, float* y, int n, int rounds) {
    const size_t bytes = n * sizeof(float);
    float* fetched = nullptr;
    cudaMallocHost(&fetched, bytes);

    for (int round = 0; round < rounds; ++round) {
        DeviceBuffer d_x(n), d_y(n), d_out(n);
        cudaMemcpy(d_x.data, x, bytes, cudaMemcpyHostToDevice);
        cudaMemcpy(d_y.data, y, bytes, cudaMemcpyHostToDevice);
        saxpy<<<(n + 255) / 256, 256>>>(a, d_x.data, d_y.data, d_out.data, n);
        cudaMemcpyAsync(fetched, d_out.data, bytes, cudaMemcpyDeviceToHost);
        for (int i = 0; i < n; ++i) {
            y[i] = fetched[i];
        }
    }

    cudaFreeHost(fetched);
}
