// Arrays and objects, some of which are leaked. `tests/suite/programs.rs` expects these leaks at their lines.
int main() {
    const cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();
    cudaArray_t kept, freed;
    cudaMallocArray(&kept, &texel, 5, 3, cudaArraySurfaceLoadStore);
    cudaMallocArray(&freed, &texel, 7, 3);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = kept;
    cudaTextureDesc look = {};
    cudaTextureObject_t destroyed, forgotten;
    cudaCreateTextureObject(&destroyed, &resource, &look, nullptr);
    cudaCreateTextureObject(&forgotten, &resource, &look, nullptr);
    cudaSurfaceObject_t surface;
    cudaCreateSurfaceObject(&surface, &resource);
    cudaDestroyTextureObject(destroyed);
    cudaFreeArray(freed);
}
