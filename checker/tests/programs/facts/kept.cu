// Arrays and objects, some of which nobody gives back: `tests/programs.rs` says which, and on which line.
int main() {
    const cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();
    cudaArray_t kept, freed;
    cudaMallocArray(&kept, &texel, 5, 3);
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
