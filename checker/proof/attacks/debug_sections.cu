// attack: broken debugging data, which the checker reads before it calls the function
// exercise: roundtrip
// expect: compile-error
// graded: yes
// stopped-by: the compiler's own process reads what the compiler wrote, and what it cannot read is the submission's fault

asm(".pushsection .debug_info,\"\",@progbits\n"
    ".long 0x30\n.short 5\n.byte 1\n.byte 8\n.long 0xffffff\n.zero 64\n"
    ".popsection\n");

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
}
