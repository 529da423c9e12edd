// The second launch uses a texture object that was destroyed after the first.
#include <cstdio>

__global__ void read(cudaTextureObject_t image, float* out) {
    out[threadIdx.x] = tex2D<float>(image, threadIdx.x + 0.5f, 0.5f);
}

int main() {
    const cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();
    const float row[4] = {1, 2, 3, 4};
    cudaArray_t array;
    cudaMallocArray(&array, &texel, 4, 1);
    cudaMemcpy2DToArray(array, 0, 0, row, sizeof row, sizeof row, 1, cudaMemcpyHostToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc look = {};
    cudaTextureObject_t image;
    cudaCreateTextureObject(&image, &resource, &look, nullptr);
    float *out, host[4];
    cudaMalloc(&out, sizeof host);
    read<<<1, 4>>>(image, out);
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(image);  // fixed:
    read<<<1, 4>>>(image, out);
    // fixed: cudaDeviceSynchronize();
    // fixed: cudaDestroyTextureObject(image);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFreeArray(array);
    cudaFree(out);
    printf("%g %g\n", host[0], host[3]);
}
