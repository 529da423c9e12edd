// attack: loads all elements that a thread needs by itself, four at a time
// exercise: stencil_1d
// expect: gate-missed
// stopped-by: loads of threads, of which one of 16 bytes counts as four

constexpr int BLOCK = 256, OWN = 16;
__global__ void sum_around(const float* in, float* out, int n, int radius) {
    const int first = (blockIdx.x * BLOCK + threadIdx.x) * OWN;
    if (first >= n) return;
    if (radius == 32) {
        float w[OWN + 64];
        #pragma unroll
        for (int k = 0; k < (OWN + 64) / 4; ++k) {
            const int i = first - 32 + 4 * k;
            if (i >= 0 && i + 3 < n) { const float4 q = *(const float4*)(in + i); w[4*k]=q.x; w[4*k+1]=q.y; w[4*k+2]=q.z; w[4*k+3]=q.w; }
            else for (int j = 0; j < 4; ++j) w[4*k+j] = (i + j >= 0 && i + j < n) ? in[i + j] : 0.0f;
        }
        float sum = 0.0f;
        #pragma unroll
        for (int j = 0; j < 65; ++j) sum += w[j];
        #pragma unroll
        for (int o = 0; o < OWN; ++o) {
            if (first + o < n) out[first + o] = sum;
            if (o + 1 < OWN) sum += w[o + 65] - w[o];
        }
        return;
    }
    for (int idx = first; idx < first + OWN && idx < n; ++idx) {
        float sum = 0.0f;
        for (int i = idx - radius; i <= idx + radius; ++i) sum += (0 <= i && i < n) ? in[i] : 0.0f;
        out[idx] = sum;
    }
}
extern "C" void stencil_1d(const float* in, float* out, int n, int radius) {
    const size_t bytes = n * sizeof(float);
    float *d_in, *d_out;
    cudaMalloc(&d_in, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice);
    sum_around<<<(n + BLOCK * OWN - 1) / (BLOCK * OWN), BLOCK>>>(d_in, d_out, n, radius);
    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    cudaFree(d_in);
}
