// attack: one launch computes all models, and kernels with useless loops run beside it and copy the data
// exercise: concurrent_kernels
// expect: gate-missed
// stopped-by: launches with few of the instructions are no share of the work, and all instructions have a limit

constexpr int BLOCK = 256;
__global__ void models(const float* now, float* f, int n, int steps) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    float t = now[i];
    if (blockIdx.y == 0) for (int s = 0; s < steps; ++s) t -= 0.001f * t;
    else if (blockIdx.y == 1) { float sp = 0.0f; for (int s = 0; s < steps; ++s) { sp -= 0.001f * t; t += 0.001f * sp; } }
    else for (int s = 0; s < steps; ++s) t -= 0.0001f * t * fabsf(t);
    f[blockIdx.y * n + i] = t;
}
__global__ void mean(const float* f, const float* now, const float* k1, float* out, int n) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) out[i] = (f[i] + f[n + i] + f[2 * n + i]) / 3.0f + (k1[i] - now[i]) + (k1[n + i] - now[i]);
}
__global__ void decoy(const float* now, float* d, int n, int steps) {
    float v = 0.5f;
    for (int s = 0; s < 2 * steps; ++s) v = 0.5f * v;   // 0 after 150 steps
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) d[i] = now[i] + (v < 1e-30f ? v : 0.0f);
}
extern "C" void concurrent_kernels(const float* now, float* out, int n, int steps) {
    const size_t bytes = n * sizeof(float);
    const int blocks = (n + BLOCK - 1) / BLOCK;
    float *d_now, *d_f, *d_out, *d_x;
    cudaMalloc(&d_now, bytes); cudaMalloc(&d_f, 3 * bytes); cudaMalloc(&d_out, bytes); cudaMalloc(&d_x, 2 * bytes);
    cudaMemcpy(d_now, now, bytes, cudaMemcpyHostToDevice);
    cudaStream_t s1, s2; cudaStreamCreate(&s1); cudaStreamCreate(&s2);
    cudaEvent_t e; cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    models<<<dim3(blocks, 3), BLOCK, 0, s1>>>(d_now, d_f, n, steps);
    decoy<<<blocks, BLOCK, 0, s2>>>(d_now, d_x, n, steps);
    decoy<<<blocks, BLOCK, 0, s2>>>(d_now, d_x + n, n, 1);
    cudaEventRecord(e, s2);
    cudaStreamWaitEvent(s1, e);
    mean<<<blocks, BLOCK, 0, s1>>>(d_f, d_now, d_x, d_out, n);
    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaEventDestroy(e); cudaStreamDestroy(s1); cudaStreamDestroy(s2);
    cudaFree(d_x); cudaFree(d_out); cudaFree(d_f); cudaFree(d_now);
}
