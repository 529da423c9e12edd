// concurrent_kernels | chapter 8 | "Kernels side by side"
//
// Goal    compute out[i] = the mean of three forecasts for station i. For at least half of the
//         kernels' time, at least two kernels must run at once.
//
// now     [n]  f32, in the host's memory, read only: how much warmer than usual each station is
// out     [n]  f32, in the host's memory, every element must be written
// n       count
// steps   number of steps of each model
//
// This program is right. For 256 stations, each of the three models uses only one of the GPU's
// multiprocessors, but each model waits until the previous one has finished. Keep the four
// launches, choose any block size, and let the models run at the same time.
//
// Run     cargo checker check concurrent_kernels    Stuck?  cargo checker hint concurrent_kernels
//         cargo checker profile concurrent_kernels  shows which kernel runs when

constexpr int BLOCK = 256;

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

// A station that is much too warm cools down faster.
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

    settle<<<blocks, BLOCK>>>(d_now, d_a, n, steps);
    swing<<<blocks, BLOCK>>>(d_now, d_b, n, steps);
    radiate<<<blocks, BLOCK>>>(d_now, d_c, n, steps);
    mean<<<blocks, BLOCK>>>(d_a, d_b, d_c, d_out, n);

    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    cudaFree(d_c);
    cudaFree(d_b);
    cudaFree(d_a);
    cudaFree(d_now);
}
