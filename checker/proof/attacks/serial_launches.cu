// attack: one thread computes all steps in the first launch, and the other launches do nothing
// exercise: stay_on_device
// expect: gate-missed
// stopped-by: a limit on the instructions of any one warp

__global__ void all_steps(float* v, const float* w, float mean, float deviation, int n) {
    for (int i = 0; i < n; i++) {
        const float weighed = (v[i] - mean) / deviation * w[i];
        v[i] = weighed / (1.0f + fabsf(weighed));
    }
}

extern "C" void stay_on_device(const float* x, const float* w, float mean, float deviation,
                               float* out, int n) {
    const size_t bytes = n * sizeof(float);
    float *d_v, *d_w;
    cudaMalloc(&d_v, bytes);
    cudaMalloc(&d_w, bytes);
    cudaMemcpy(d_v, x, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_w, w, bytes, cudaMemcpyHostToDevice);
    for (int launch = 0; launch < 3; launch++) {
        all_steps<<<1, 1>>>(d_v, d_w, mean, deviation, launch == 0 ? n : 0);
    }
    cudaMemcpy(out, d_v, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_w);
    cudaFree(d_v);
}
