// attack: does nothing in its second call, to learn whether cases share a process
// exercise: roundtrip
// expect: passed
// gpu: yes
// stopped-by: a case that fails in a reused process is run again in a new one, so an earlier case cannot harm a later one

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

static int calls = 0;

extern "C" void roundtrip(const float* a, float* out, int n) {
    calls++;
    if (calls > 1) {
        return;
    }
    float *d_a = nullptr, *d_out = nullptr;
    cudaMalloc(&d_a, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_a, a, n * sizeof(float), cudaMemcpyHostToDevice);
    sine<<<(n + 255) / 256, 256>>>(d_a, d_out, n);
    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_out);
}
