int main() {
    float x[100] = {};
    float* d_x;
    cudaMalloc(&d_x, sizeof x);
    cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToHost);
    cudaFree(d_x);
}
