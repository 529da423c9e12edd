// attack: stores the means in linear memory, and also writes a zero through a surface that nothing reads
// exercise: surface_write
// expect: gate-missed
// stopped-by: the counts of what it uses: surface writes count only if all data of the results goes through them

__global__ void halve(cudaTextureObject_t from, cudaSurfaceObject_t spare, float* to, int height,
                      int width) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < height && col < width) {
        surf2Dwrite(0.0f, spare, (col & 7) * sizeof(float), row & 7);
        to[row * width + col] = tex2D<float>(from, 2 * col + 1, 2 * row + 1);
    }
}

extern "C" void surface_write(const float* image, float* out, int height, int width, int levels) {
    const cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();
    cudaArray_t from = nullptr, unread = nullptr;
    cudaMallocArray(&from, &texel, width, height);
    cudaMallocArray(&unread, &texel, 8, 8, cudaArraySurfaceLoadStore);
    size_t row_bytes = width * sizeof(float);
    cudaMemcpy2DToArray(from, 0, 0, image, row_bytes, row_bytes, height, cudaMemcpyHostToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = unread;
    cudaSurfaceObject_t spare = 0;
    cudaCreateSurfaceObject(&spare, &resource);
    float* to = nullptr;
    cudaMalloc(&to, height * row_bytes / 4);
    for (int level = 1; level <= levels; ++level) {
        height /= 2;
        width /= 2;
        row_bytes = width * sizeof(float);
        resource.res.array.array = from;
        cudaTextureDesc look = {};
        look.addressMode[0] = look.addressMode[1] = cudaAddressModeClamp;
        look.filterMode = cudaFilterModeLinear;
        look.readMode = cudaReadModeElementType;
        cudaTextureObject_t texture = 0;
        cudaCreateTextureObject(&texture, &resource, &look, nullptr);
        const dim3 block(32, 8), grid((width + 31) / 32, (height + 7) / 8);
        halve<<<grid, block>>>(texture, spare, to, height, width);
        cudaDeviceSynchronize();
        if (level < levels) {
            cudaMemcpy2DToArray(from, 0, 0, to, row_bytes, row_bytes, height,
                                cudaMemcpyDeviceToDevice);
        }
        cudaDestroyTextureObject(texture);
    }
    cudaMemcpy(out, to, height * row_bytes, cudaMemcpyDeviceToHost);
    cudaDestroySurfaceObject(spare);
    cudaFreeArray(from);
    cudaFreeArray(unread);
    cudaFree(to);
}
