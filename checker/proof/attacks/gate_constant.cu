// attack: keeps the whole array in constant memory and reads each element 65 times, so that no load is counted
// exercise: stencil_1d
// expect: gate-missed
// stopped-by: gates count what moves data: a load from constant memory is a load if the data can be there

__constant__ float values[16000];

__global__ void sum_around(float* out, int n, int radius) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
        for (int k = i - radius; k <= i + radius; ++k) {
            sum += 0 <= k && k < n ? values[k] : 0.0f;
        }
        out[i] = sum;
    }
}

extern "C" void stencil_1d(const float* in, float* out, int n, int radius) {
    float* d_out;
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpyToSymbol(values, in, (n < 16000 ? n : 16000) * sizeof(float));
    sum_around<<<(n + 255) / 256, 256>>>(d_out, n, radius);
    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_out);
}
