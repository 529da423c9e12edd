// attack: computes all in one kernel, and lets kernels run side by side whose results nothing uses
// exercise: concurrent_kernels
// expect: gate-missed
// stopped-by: the counts of what it moves: kernels that run at the same time count only if the results need them

constexpr int BLOCK = 256;

__global__ void forecast(const float* now, float* out, int n, int steps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float settled = now[i], swung = now[i], speed = 0.0f, radiated = now[i];
        for (int step = 0; step < steps; ++step) {
            settled -= 0.001f * settled;
            speed -= 0.001f * swung;
            swung += 0.001f * speed;
            radiated -= 0.0001f * radiated * fabsf(radiated);
        }
        out[i] = (settled + swung + radiated) / 3.0f;
    }
}

__global__ void idle(float* unused, int steps) {
    float value = 0.0f;
    for (int step = 0; step < steps; ++step) {
        value = 0.5f * value + 1.0f;
    }
    unused[threadIdx.x] = value;
}

extern "C" void concurrent_kernels(const float* now, float* out, int n, int steps) {
    const size_t bytes = n * sizeof(float);
    float *d_now, *d_out, *unused;
    cudaMalloc(&d_now, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMalloc(&unused, 3 * BLOCK * sizeof(float));
    cudaMemcpy(d_now, now, bytes, cudaMemcpyHostToDevice);
    cudaStream_t stream[4];
    for (cudaStream_t& each : stream) {
        cudaStreamCreate(&each);
    }
    forecast<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream[0]>>>(d_now, d_out, n, steps);
    for (int k = 1; k < 4; ++k) {
        idle<<<1, BLOCK, 0, stream[k]>>>(unused + (k - 1) * BLOCK, 3 * steps);
    }
    cudaDeviceSynchronize();
    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    for (cudaStream_t each : stream) {
        cudaStreamDestroy(each);
    }
    cudaFree(unused);
    cudaFree(d_out);
    cudaFree(d_now);
}
