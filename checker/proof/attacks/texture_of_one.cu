// attack: blends the texels itself, and needs a fetch only for the constant 1
// exercise: texture_rotate
// expect: gate-missed
// stopped-by: the counts of what it uses: texture fetches count only if the results need no other loads

__device__ float ones[4] = {1, 1, 1, 1};

__device__ float at(const float* im, int r, int c, int height, int width, int edge) {
    if (edge == 1) {
        r = min(max(r, 0), height - 1);
        c = min(max(c, 0), width - 1);
    } else if (r < 0 || c < 0 || r >= height || c >= width) {
        return 0.0f;
    }
    return im[r * width + c];
}
__global__ void rotate(const float* image, cudaTextureObject_t one, float* out, int height, int width, float cosine,
                       float sine, int edge) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < height && col < width) {
        const float right = col - 0.5f * (width - 1);
        const float down = row - 0.5f * (height - 1);
        const float x = 0.5f * (width - 1) + right * cosine - down * sine;
        const float y = 0.5f * (height - 1) + right * sine + down * cosine;
        const int c = floorf(x), r = floorf(y);
        const float fx = rintf((x - c) * 256.0f) / 256.0f, fy = rintf((y - r) * 256.0f) / 256.0f;
        const float top = (1 - fx) * at(image, r, c, height, width, edge) + fx * at(image, r, c + 1, height, width, edge);
        const float low = (1 - fx) * at(image, r + 1, c, height, width, edge) + fx * at(image, r + 1, c + 1, height, width, edge);
        out[row * width + col] = tex1Dfetch<float>(one, 0) == 1.0f ? (1 - fy) * top + fy * low : 0.0f;
    }
}
extern "C" void texture_rotate(const float* image, float* out, int height, int width, float cosine,
                               float sine, int edge) {
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
    float *d_in, *d_out;
    cudaMalloc(&d_in, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemcpy(d_in, image, bytes, cudaMemcpyHostToDevice);
    const dim3 block(32, 8);
    const dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    rotate<<<grid, block>>>(d_in, one, d_out, height, width, cosine, sine, edge);
    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaDestroyTextureObject(one);
    cudaFree(d_out);
    cudaFree(d_in);
}
