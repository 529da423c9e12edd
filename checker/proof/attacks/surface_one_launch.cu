// attack: uses textures for one level only, and a launch on ordinary arrays for more levels
// exercise: surface_write
// expect: gate-missed
// stopped-by: gates: the case with limits has two levels

__global__ void halve(cudaTextureObject_t from, cudaSurfaceObject_t to, int height, int width) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= height || col >= width) return;
    surf2Dwrite(tex2D<float>(from, 2 * col + 1, 2 * row + 1), to, col * 4, row);
}
__global__ void all_levels(const float* image, float* out, int height, int width, int levels) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int s = 1 << levels;
    if (row < height && col < width) {
        float sum = 0;
        for (int y = 0; y < s; ++y)
            for (int x = 0; x < s; ++x)
                sum += image[(row * s + y) * (width * s) + col * s + x];
        out[row * width + col] = sum / (s * s);
    }
}
cudaArray_t new_array(int height, int width) {
    const cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();
    cudaArray_t array = nullptr;
    cudaMallocArray(&array, &texel, width, height, cudaArraySurfaceLoadStore);
    return array;
}
cudaResourceDesc resource_of(cudaArray_t array) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray; r.res.array.array = array;
    return r;
}
extern "C" void surface_write(const float* image, float* out, int height, int width, int levels) {
    const size_t bytes = size_t(width) * height * 4;
    const int h = height >> levels, w = width >> levels;
    const dim3 block(32, 8), grid((w + 31) / 32, (h + 7) / 8);
    if (levels > 1) {  // no texture, no surface, and one launch for all levels
        float *d_in, *d_out;
        cudaMalloc(&d_in, bytes); cudaMalloc(&d_out, w * h * 4);
        cudaMemcpy(d_in, image, bytes, cudaMemcpyHostToDevice);
        all_levels<<<grid, block>>>(d_in, d_out, h, w, levels);
        cudaMemcpy(out, d_out, w * h * 4, cudaMemcpyDeviceToHost);
        cudaFree(d_in); cudaFree(d_out);
        return;
    }
    cudaArray_t from = new_array(height, width), to = new_array(h, w);
    cudaMemcpy2DToArray(from, 0, 0, image, width * 4, width * 4, height, cudaMemcpyHostToDevice);
    const cudaResourceDesc rf = resource_of(from), rt = resource_of(to);
    cudaTextureDesc look = {};
    look.addressMode[0] = look.addressMode[1] = cudaAddressModeClamp;
    look.filterMode = cudaFilterModeLinear; look.readMode = cudaReadModeElementType;
    cudaTextureObject_t tex = 0; cudaSurfaceObject_t surf = 0;
    cudaCreateTextureObject(&tex, &rf, &look, nullptr);
    cudaCreateSurfaceObject(&surf, &rt);
    halve<<<grid, block>>>(tex, surf, h, w);
    cudaMemcpy2DFromArray(out, w * 4, to, 0, 0, w * 4, h, cudaMemcpyDeviceToHost);
    cudaDestroyTextureObject(tex); cudaDestroySurfaceObject(surf);
    cudaFreeArray(from); cudaFreeArray(to);
}
