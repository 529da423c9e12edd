// attack: moves all pixels through linear memory, and only the constant 1 through the surface
// exercise: surface_write
// expect: gate-missed
// stopped-by: the counts of what it uses: surfaces count only if the results need no other loads and stores

// All pixels move through linear global memory, with four loads for each mean. The texture and the
// surface only carry the number 1.
__device__ float ones[4] = {1, 1, 1, 1};
__global__ void halve(const float* from, float* to, cudaTextureObject_t one, cudaSurfaceObject_t s, int height, int width) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < height && col < width) {
        const float* p = from + 2 * row * 2 * width + 2 * col;
        const float t = tex2D<float>(one, 0.5f, 0.5f);
        to[row * width + col] = t != 1.0f ? 0.0f : 0.25f * (p[0] + p[1] + p[2 * width] + p[2 * width + 1]);
        surf2Dwrite(1.0f, s, col * sizeof(float), row);
    }
}
__global__ void first(const float* from, float* to, cudaTextureObject_t one, cudaSurfaceObject_t s, int height, int width) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < height && col < width) {
        const float* p = from + 2 * row * 2 * width + 2 * col;
        const float t = tex1Dfetch<float>(one, 0);
        to[row * width + col] = t != 1.0f ? 0.0f : 0.25f * (p[0] + p[1] + p[2 * width] + p[2 * width + 1]);
        surf2Dwrite(1.0f, s, col * sizeof(float), row);
    }
}
cudaArray_t array(int height, int width, cudaResourceDesc* r, cudaSurfaceObject_t* s, cudaTextureObject_t* t) {
    const cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();
    cudaArray_t a = nullptr;
    cudaMallocArray(&a, &texel, width, height, cudaArraySurfaceLoadStore);
    *r = {};
    r->resType = cudaResourceTypeArray;
    r->res.array.array = a;
    cudaCreateSurfaceObject(s, r);
    cudaTextureDesc look = {};
    cudaCreateTextureObject(t, r, &look, nullptr);
    return a;
}
extern "C" void surface_write(const float* image, float* out, int height, int width, int levels) {
    const size_t bytes = size_t(width) * height * sizeof(float);
    float* d_one;
    cudaGetSymbolAddress((void**)&d_one, ones);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = d_one;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = 16;
    cudaTextureDesc look = {};
    look.readMode = cudaReadModeElementType;
    cudaTextureObject_t one = 0;
    cudaCreateTextureObject(&one, &resource, &look, nullptr);
    cudaResourceDesc r0, r1;
    cudaSurfaceObject_t s[2];
    cudaTextureObject_t t[2];
    cudaArray_t x = array(height, width, &r0, &s[0], &t[0]), y = array(height, width, &r1, &s[1], &t[1]);
    float *a, *b;
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMemcpy(a, image, bytes, cudaMemcpyHostToDevice);
    for (int level = 1; level <= levels; ++level) {
        height /= 2;
        width /= 2;
        const dim3 block(32, 8);
        const dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
        if (level == 1) first<<<grid, block>>>(a, b, one, s[1], height, width);
        else halve<<<grid, block>>>(a, b, t[(level + 1) % 2 ? 1 : 0], s[level % 2], height, width);
        float* u = a; a = b; b = u;
    }
    cudaMemcpy(out, a, size_t(width) * height * sizeof(float), cudaMemcpyDeviceToHost);
    for (int k = 0; k < 2; ++k) { cudaDestroySurfaceObject(s[k]); cudaDestroyTextureObject(t[k]); }
    cudaDestroyTextureObject(one);
    cudaFreeArray(x);
    cudaFreeArray(y);
    cudaFree(a);
    cudaFree(b);
}
