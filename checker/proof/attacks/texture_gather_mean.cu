// attack: gets four texels by one gather, and computes their mean itself
// exercise: surface_write
// expect: gate-missed
// stopped-by: the results need gathers, which return texels without a filter

__global__ void halve(cudaTextureObject_t from, cudaSurfaceObject_t to, int height, int width) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < height && col < width) {
        const float4 four = tex2Dgather<float4>(from, 2 * col + 1, 2 * row + 1, 0);
        const float mean = 0.25f * (four.x + four.y + four.z + four.w);
        surf2Dwrite(mean, to, col * sizeof(float), row);
    }
}

cudaArray_t new_array(int height, int width) {
    const cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();
    cudaArray_t array = nullptr;
    cudaMallocArray(&array, &texel, width, height,
                    cudaArraySurfaceLoadStore | cudaArrayTextureGather);
    return array;
}

cudaResourceDesc resource_of(cudaArray_t array) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}

cudaTextureObject_t texture_of(cudaArray_t array) {
    const cudaResourceDesc resource = resource_of(array);
    cudaTextureDesc look = {};
    look.addressMode[0] = look.addressMode[1] = cudaAddressModeClamp;
    look.filterMode = cudaFilterModeLinear;
    look.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture = 0;
    cudaCreateTextureObject(&texture, &resource, &look, nullptr);
    return texture;
}

extern "C" void surface_write(const float* image, float* out, int height, int width, int levels) {
    const size_t row_bytes = width * sizeof(float);
    cudaArray_t from = new_array(height, width);
    cudaMemcpy2DToArray(from, 0, 0, image, row_bytes, row_bytes, height, cudaMemcpyHostToDevice);

    for (int level = 1; level <= levels; ++level) {
        height /= 2;
        width /= 2;
        cudaArray_t to = new_array(height, width);
        const cudaResourceDesc resource = resource_of(to);
        cudaSurfaceObject_t surface = 0;
        cudaCreateSurfaceObject(&surface, &resource);
        cudaTextureObject_t texture = texture_of(from);

        const dim3 block(32, 8);
        const dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
        halve<<<grid, block>>>(texture, surface, height, width);
        cudaDeviceSynchronize();

        cudaDestroyTextureObject(texture);
        cudaDestroySurfaceObject(surface);
        cudaFreeArray(from);
        from = to;
    }

    const size_t out_bytes = width * sizeof(float);
    cudaMemcpy2DFromArray(out, out_bytes, from, 0, 0, out_bytes, height, cudaMemcpyDeviceToHost);
    cudaFreeArray(from);
}
