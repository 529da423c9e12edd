__global__ void fetch(cudaTextureObject_t image, float* out) {
    out[threadIdx.x] = tex2D<float>(image, threadIdx.x, 0.0f);
}

int main() {
    float* out;
    cudaMalloc(&out, 32 * sizeof(float));
    fetch<<<1, 32>>>(0, out);  // no texture has the handle 0
    cudaDeviceSynchronize();
    cudaFree(out);
}
