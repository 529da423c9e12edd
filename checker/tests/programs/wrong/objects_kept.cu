// The first array is freed, but its texture object is not destroyed. For the second pair it is the other way round.
int main() {
    const cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();
    cudaArray_t first, second;
    cudaMallocArray(&first, &texel, 4, 4);
    cudaMallocArray(&second, &texel, 8, 4);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    cudaTextureDesc look = {};
    cudaTextureObject_t a, b;
    resource.res.array.array = first;
    cudaCreateTextureObject(&a, &resource, &look, nullptr);
    resource.res.array.array = second;
    cudaCreateTextureObject(&b, &resource, &look, nullptr);
    cudaDestroyTextureObject(b);
    // fixed: cudaDestroyTextureObject(a);
    // fixed: cudaFreeArray(second);
    cudaFreeArray(first);
}
