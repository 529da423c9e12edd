// attack: keeps a fourth array in a variable of the device's memory, which is smaller than such variables may be
// exercise: cleanup
// expect: gate-missed
// stopped-by: the gate on bytes that are allocated at once, in which variables count

__device__ float extra[1024];
__global__ void saxpy(float a, const float* x, const float* y, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        if (idx < 1024) extra[idx] = a * x[idx]; out[idx] = a * x[idx] + y[idx];
    }
}

// An array of n floats on the device. The constructor allocates it, and the destructor frees it at
// the end of its scope.
struct DeviceBuffer {
    float* data = nullptr;

    explicit DeviceBuffer(int n) {
        cudaMalloc(&data, n * sizeof(float));
    }

    ~DeviceBuffer() {
        cudaFree(data);
    }

    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;
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
        cudaStreamSynchronize(nullptr);  // wait until the copy has ended
        for (int i = 0; i < n; ++i) {
            y[i] = received[i];
        }
    }

    cudaFreeHost(received);
}
