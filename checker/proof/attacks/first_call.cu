// attack: does nothing in its first call, so that a process that was warmed up would let it pass
// exercise: roundtrip
// expect: output-not-written
// gpu: yes
// stopped-by: a wrong case ends its process, so every case runs in a new process or in one whose cases were all right

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

static int calls = 0;

extern "C" void roundtrip(const float* a, float* out, int n) {
    calls++;
    if (calls == 1) {
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
