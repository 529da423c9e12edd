// attack: two idle kernels run side by side, and store one constant each that the last kernel needs
// exercise: concurrent_kernels
// expect: gate-missed
// stopped-by: kernels count only if they store at least an eighth of what another one stores

constexpr int BLOCK = 256;
// two of the models in closed form, the third by far fewer, larger steps: nothing runs step by step
__global__ void junk(float* p, int steps, float value) {
    float v = threadIdx.x;
    for (int k = 0; k < steps; ++k) v = 0.5f * v + 0.5f;
    if (threadIdx.x == 0) *p = v < -1.0f ? 0.0f : value;
}
__global__ void everything(const float* now, float* sum, int n, int steps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double a = 1;
        double p00 = 1, p01 = 0, p10 = 0, p11 = 1;           // result matrix for (t, speed)
        double m00 = 1 - 0.001f * double(0.001f), m01 = 0.001f, m10 = -double(0.001f), m11 = 1, f = 1 - double(0.001f);
        for (int e = steps; e; e /= 2) {
            if (e & 1) {
                a *= f;
                double q00 = p00 * m00 + p01 * m10, q01 = p00 * m01 + p01 * m11, q10 = p10 * m00 + p11 * m10, q11 = p10 * m01 + p11 * m11;
                p00 = q00; p01 = q01; p10 = q10; p11 = q11;
            }
            f *= f;
            double q00 = m00 * m00 + m01 * m10, q01 = m00 * m01 + m01 * m11, q10 = m10 * m00 + m11 * m10, q11 = m10 * m01 + m11 * m11;
            m00 = q00; m01 = q01; m10 = q10; m11 = q11;
        }
        const float t = now[i];
        float c = t;
        // t' = -k t|t|: 1/t grows by k per step, plus k^2 t per step
        const double k = 0.0001f, x0 = fabs(double(t));
        if (x0 > 0) {
            double y = 1 / x0 + k * steps;
            y += k * log(1 + k * steps * x0);
            c = t < 0 ? -1 / y : 1 / y;
        }
        sum[i] = float(t * a) + float(p00 * t) + c;
    }
}
__global__ void scale(const float* sum, float* out, const float* f, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = sum[i] * f[0] / f[1];
}
extern "C" void concurrent_kernels(const float* now, float* out, int n, int steps) {
    const size_t bytes = n * sizeof(float);
    float *d_now, *d_out, *d_j;
    cudaMalloc(&d_now, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMalloc(&d_j, 8);
    cudaMemcpy(d_now, now, bytes, cudaMemcpyHostToDevice);
    cudaStream_t stream[2];
    cudaEvent_t done;
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    for (int k = 0; k < 2; ++k) cudaStreamCreate(&stream[k]);
    junk<<<1, 32, 0, stream[0]>>>(d_j, 3000, 2.0f);      // spins, then stores a 2
    junk<<<1, 32, 0, stream[1]>>>(d_j + 1, 3000, 6.0f);  // spins, then stores a 6
    cudaEventRecord(done, stream[1]);
    everything<<<(n + 255) / 256, 256, 0, stream[0]>>>(d_now, d_now, n, steps);
    cudaStreamWaitEvent(stream[0], done);
    scale<<<(n + 255) / 256, 256, 0, stream[0]>>>(d_now, d_out, d_j, n);
    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    for (int k = 0; k < 2; ++k) cudaStreamDestroy(stream[k]);
    cudaEventDestroy(done);
    cudaFree(d_j);
    cudaFree(d_out);
    cudaFree(d_now);
}
