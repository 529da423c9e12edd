// The width of a copy into an array is in bytes, so only a quarter of each row is copied.
#include <cstdio>

__global__ void take(cudaTextureObject_t texture, float* out) {
    out[threadIdx.x] = tex2D<float>(texture, threadIdx.x + 0.5f, 1.5f);
}

int main() {
    float image[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    const cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaMallocArray(&array, &texel, 4, 2);
    cudaMemcpy2DToArray(array, 0, 0, image, 16, 4, 2, cudaMemcpyHostToDevice);  // fixed: cudaMemcpy2DToArray(array, 0, 0, image, 16, 16, 2, cudaMemcpyHostToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc look = {};
    cudaTextureObject_t texture;
    cudaCreateTextureObject(&texture, &resource, &look, nullptr);
    float *device, out[4];
    cudaMalloc(&device, sizeof(out));
    take<<<1, 4>>>(texture, device);
    cudaMemcpy(out, device, sizeof(out), cudaMemcpyDeviceToHost);
    printf("%g\n", out[0]);
    cudaFree(device);
    cudaDestroyTextureObject(texture);
    cudaFreeArray(array);
}
