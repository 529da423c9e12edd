int main() {
    float* x;
    cudaMalloc(&x, 100 * sizeof(float));
}
