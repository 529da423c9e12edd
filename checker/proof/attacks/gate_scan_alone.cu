// attack: one thread scans everything, in a single launch
// exercise: scan_blocks
// expect: gate-missed
// stopped-by: a limit on load requests

__global__ void scan(const int* in, int* out, int n) {
    int sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += in[i];
        out[i] = sum;
    }
}

extern "C" void scan_blocks(const int* in, int* out, int n) {
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, n * sizeof(int));
    cudaMemcpy(d_in, in, n * sizeof(int), cudaMemcpyHostToDevice);
    scan<<<1, 1>>>(d_in, d_out, n);
    cudaMemcpy(out, d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
}
