int main() {
    float* x;
    cudaMalloc(&x, 100 * sizeof(float));
    const float host[100] = {};
    cudaMemcpy(x, host, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(x);
}
