// Has blocks of two warps, so each kernel spreads over more multiprocessors and takes less time.

constexpr int BLOCK = 64;

// In each step, the temperature moves a little closer to the usual temperature.
__global__ void settle(const float* now, float* forecast, int n, int steps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float t = now[i];
        for (int step = 0; step < steps; ++step) {
            t -= 0.001f * t;
        }
        forecast[i] = t;
    }
}

// The temperature swings like a pendulum.
__global__ void swing(const float* now, float* forecast, int n, int steps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float t = now[i], speed = 0.0f;
        for (int step = 0; step < steps; ++step) {
            speed -= 0.001f * t;
            t += 0.001f * speed;
        }
        forecast[i] = t;
    }
}

// What is much too warm cools down faster.
__global__ void radiate(const float* now, float* forecast, int n, int steps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float t = now[i];
        for (int step = 0; step < steps; ++step) {
            t -= 0.0001f * t * fabsf(t);
        }
        forecast[i] = t;
    }
}

__global__ void mean(const float* a, const float* b, const float* c, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = (a[i] + b[i] + c[i]) / 3.0f;
    }
}

extern "C" void concurrent_kernels(const float* now, float* out, int n, int steps) {
    const size_t bytes = n * sizeof(float);
    const int blocks = (n + BLOCK - 1) / BLOCK;
    float *d_now, *d_a, *d_b, *d_c, *d_out;
    cudaMalloc(&d_now, bytes);
    cudaMalloc(&d_a, bytes);
    cudaMalloc(&d_b, bytes);
    cudaMalloc(&d_c, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemcpy(d_now, now, bytes, cudaMemcpyHostToDevice);

    cudaStream_t stream[3];
    cudaEvent_t done[3];
    for (int k = 0; k < 3; ++k) {
        cudaStreamCreate(&stream[k]);
        cudaEventCreateWithFlags(&done[k], cudaEventDisableTiming);
    }

    settle<<<blocks, BLOCK, 0, stream[0]>>>(d_now, d_a, n, steps);
    swing<<<blocks, BLOCK, 0, stream[1]>>>(d_now, d_b, n, steps);
    radiate<<<blocks, BLOCK, 0, stream[2]>>>(d_now, d_c, n, steps);
    for (int k = 1; k < 3; ++k) {
        cudaEventRecord(done[k], stream[k]);
        cudaStreamWaitEvent(stream[0], done[k]);  // stream[0] runs its own work in order
    }
    mean<<<blocks, BLOCK, 0, stream[0]>>>(d_a, d_b, d_c, d_out, n);

    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    for (int k = 0; k < 3; ++k) {
        cudaEventDestroy(done[k]);
        cudaStreamDestroy(stream[k]);
    }
    cudaFree(d_out);
    cudaFree(d_c);
    cudaFree(d_b);
    cudaFree(d_a);
    cudaFree(d_now);
}
