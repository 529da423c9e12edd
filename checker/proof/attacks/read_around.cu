// attack: prints the memory before and behind its arrays, where a careless grader keeps the expected output
// exercise: roundtrip
// expect: passed
// note: no process that runs the program contains the expected output
// stopped-by: no process that runs the program contains seeds, references or secrets

#include <cstdio>

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    float *d_a = nullptr, *d_out = nullptr;
    cudaMalloc(&d_a, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_a, a, n * sizeof(float), cudaMemcpyHostToDevice);
    sine<<<(n + 255) / 256, 256>>>(d_a, d_out, n);
    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_out);
    for (int i = -1000; i < 0; ++i) {
        printf("%g %g %g\n", out[i], a[i], out[n - i]);
    }
}
