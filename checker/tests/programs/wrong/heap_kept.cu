// A kernel gets memory from `malloc` and keeps it.
__global__ void squares(float* out, int n) {
    float* own = static_cast<float*>(malloc(n * sizeof(float)));
    for (int i = 0; i < n; ++i) {
        own[i] = float(i) * i;
    }
    *out = own[n - 1];
    // fixed: free(own);
}

int main() {
    float* out;
    cudaMalloc(&out, sizeof(float));
    squares<<<1, 1>>>(out, 100);
    cudaDeviceSynchronize();
    cudaFree(out);
}
