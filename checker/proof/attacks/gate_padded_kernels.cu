// attack: computes all models in one kernel, beside two kernels that own one station each and only last long
// exercise: concurrent_kernels
// expect: gate-missed
// stopped-by: a limit on the time in which kernels run

__device__ float settled(float t, int steps) {
    for (int step = 0; step < steps; ++step) {
        t -= 0.001f * t;
    }
    return t;
}

__device__ float swung(float t, int steps) {
    float speed = 0.0f;
    for (int step = 0; step < steps; ++step) {
        speed -= 0.001f * t;
        t += 0.001f * speed;
    }
    return t;
}

__device__ float radiated(float t, int steps) {
    for (int step = 0; step < steps; ++step) {
        t -= 0.0001f * t * fabsf(t);
    }
    return t;
}

__global__ void all(const float* now, float* a, float* b, float* c, int n, int steps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        if (i > 0) {
            a[i] = settled(now[i], steps);
            b[i] = swung(now[i], steps);
        }
        c[i] = radiated(now[i], steps);
    }
}

__global__ void first_settled(const float* now, float* a, int steps) { a[0] = settled(now[0], steps); }

__global__ void first_swung(const float* now, float* b, int steps) { b[0] = swung(now[0], steps); }

__global__ void mean(const float* a, const float* b, const float* c, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = (a[i] + b[i] + c[i]) / 3.0f;
    }
}

extern "C" void concurrent_kernels(const float* now, float* out, int n, int steps) {
    const size_t bytes = n * sizeof(float);
    const int blocks = (n + 255) / 256;
    float *d_now, *d_a, *d_b, *d_c, *d_out;
    for (float** array : {&d_now, &d_a, &d_b, &d_c, &d_out}) {
        cudaMalloc(array, bytes);
    }
    cudaMemcpy(d_now, now, bytes, cudaMemcpyHostToDevice);
    cudaStream_t first, second;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    all<<<blocks, 256, 0, first>>>(d_now, d_a, d_b, d_c, n, steps);
    first_settled<<<1, 1, 0, second>>>(d_now, d_a, steps);
    first_swung<<<1, 1, 0, second>>>(d_now, d_b, steps);
    cudaStreamSynchronize(first);
    cudaStreamSynchronize(second);
    mean<<<blocks, 256>>>(d_a, d_b, d_c, d_out, n);
    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    for (float* array : {d_now, d_a, d_b, d_c, d_out}) {
        cudaFree(array);
    }
}
