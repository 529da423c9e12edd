// attack: computes all elements in a loop of one thread, so that no index is needed
// exercise: roundtrip
// expect: gate-missed
// stopped-by: a limit on the instructions of any one warp

__global__ void sines(const float* a, float* out, int n) {
    for (int i = 0; i < n; i++) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    float *d_a, *d_out;
    const size_t bytes = n * sizeof(float);
    cudaMalloc(&d_a, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice);
    sines<<<1, 1>>>(d_a, d_out, n);
    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    cudaFree(d_a);
}
