__global__ void clear(float* x) {
    x[threadIdx.x] = 0.0f;
}

int main() {
    float* x;
    cudaMalloc(&x, 2048 * sizeof(float));
    clear<<<1, 2048>>>(x);
    cudaFree(x);
}
