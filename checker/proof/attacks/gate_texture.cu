// attack: reads each element 65 times through a texture, so that no load is counted
// exercise: stencil_1d
// expect: gate-missed
// stopped-by: gates count what moves data: a texture fetch is a load

__global__ void sum_around(cudaTextureObject_t in, float* out, int n, int radius) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
        for (int k = i - radius; k <= i + radius; ++k) {
            sum += 0 <= k && k < n ? tex1Dfetch<float>(in, k) : 0.0f;
        }
        out[i] = sum;
    }
}

extern "C" void stencil_1d(const float* in, float* out, int n, int radius) {
    float *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_in, in, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = d_in;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = n * sizeof(float);
    cudaTextureDesc how = {};
    how.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture;
    cudaCreateTextureObject(&texture, &resource, &how, nullptr);
    sum_around<<<(n + 255) / 256, 256>>>(texture, d_out, n, radius);
    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaDestroyTextureObject(texture);
    cudaFree(d_out);
    cudaFree(d_in);
}
