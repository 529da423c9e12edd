// surface_write | chapter 9 | "Writing into an array"
//
// Goal    halve the image `levels` times in both directions. Each pixel of a level is the mean of
//         four pixels of the previous level. Read the mean with a single fetch from a texture, and
//         write it through a surface, with one launch for each level. Copy the image to the device
//         once, and copy only the last level back, to `out`.
//
// image   [height][width]  f32, in the host's memory, read only
// out     [height >> levels][width >> levels]  f32, in the host's memory, every element must be
//         written
// height, width   multiples of 2^levels
// levels  at least 1
//
// You don't have to change texture_of and resource_of. The texture's filter is linear, so a fetch
// at the corner where four texels meet returns their mean.
//
// Run     cargo checker check surface_write    Stuck?  cargo checker hint surface_write

__global__ void halve(cudaTextureObject_t from, cudaSurfaceObject_t to, int height, int width) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < height && col < width) {  // `to` has this size
        // TODO 1: fetch the mean of the four texels of `from` that become this pixel, and write
        //         it (surf2Dwrite).
    }
}

cudaArray_t new_array(int height, int width) {
    const cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();
    cudaArray_t array = nullptr;
    unsigned int flags = 0;
    // TODO 2: a kernel will write to this array through a surface. Which flag does it need?
    cudaMallocArray(&array, &texel, width, height, flags);
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
        // TODO 3: create an array and a surface for this level, and a texture for the previous
        //         level. Then launch `halve`, and release everything that you no longer need.
    }

    // TODO 4: copy the last level to `out` (cudaMemcpy2DFromArray).
    cudaFreeArray(from);
}
