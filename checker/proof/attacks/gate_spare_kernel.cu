// attack: copies in, computes and copies out one after the other, with kernels beside the copies that work for nothing
// exercise: overlap
// expect: gate-missed
// stopped-by: copies, whose bytes are fixed, have to overlap: kernels count for a part of the copies' time only

constexpr int BLOCK = 256;

__global__ void chain(float* v, float a, float b, int n, int steps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float mine = v[i];
        for (int step = 0; step < steps; ++step) {
            mine = a * mine + b;
        }
        v[i] = mine;
    }
}

__global__ void idle(float* pad, int rounds) {
    float x = pad[threadIdx.x];
    for (int i = 0; i < rounds; ++i) {
        x = 0.5f * x + 1.0f;
    }
    pad[threadIdx.x] = x;
}

extern "C" void overlap(const float* x, float a, float b, float* out, int n, int steps) {
    const size_t bytes = n * sizeof(float);
    float *d_v = nullptr, *pad = nullptr;
    cudaMalloc(&d_v, bytes);
    cudaMalloc(&pad, 32 * sizeof(float));
    cudaMemset(pad, 0, 32 * sizeof(float));
    cudaDeviceSynchronize();
    cudaHostRegister(const_cast<float*>(x), bytes, cudaHostRegisterDefault);
    cudaHostRegister(out, bytes, cudaHostRegisterDefault);
    cudaStream_t work, spare;
    cudaStreamCreate(&work);
    cudaStreamCreate(&spare);
    cudaEvent_t computed;
    cudaEventCreate(&computed);
    idle<<<1, 32, 0, spare>>>(pad, n / 90);
    cudaMemcpyAsync(d_v, x, bytes, cudaMemcpyHostToDevice, work);
    chain<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, work>>>(d_v, a, b, n, steps);
    cudaEventRecord(computed, work);
    cudaStreamWaitEvent(spare, computed);
    idle<<<1, 32, 0, spare>>>(pad, n / 90);
    cudaMemcpyAsync(out, d_v, bytes, cudaMemcpyDeviceToHost, work);
    cudaStreamSynchronize(work);
    cudaStreamSynchronize(spare);
    cudaEventDestroy(computed);
    cudaStreamDestroy(spare);
    cudaStreamDestroy(work);
    cudaHostUnregister(out);
    cudaHostUnregister(const_cast<float*>(x));
    cudaFree(pad);
    cudaFree(d_v);
}
