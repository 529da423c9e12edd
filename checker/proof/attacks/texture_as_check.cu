// attack: blends the texels itself, and only asks whether the fetch gives 0
// exercise: texture_rotate
// expect: gate-missed
// stopped-by: the counts of what it uses: texture fetches count only if the results need no other loads

__device__ float texel(const float* image, int height, int width, int row, int col, int edge) {
    if (edge == 1) {
        row = min(max(row, 0), height - 1);
        col = min(max(col, 0), width - 1);
    }
    return row >= 0 && row < height && col >= 0 && col < width ? image[row * width + col] : 0.0f;
}

__global__ void rotate(cudaTextureObject_t texture, const float* image, float* out, int height,
                       int width, float cosine, float sine, int edge) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < height && col < width) {
        const float right = col - 0.5f * (width - 1);
        const float down = row - 0.5f * (height - 1);
        const float x = 0.5f * width + right * cosine - down * sine;
        const float y = 0.5f * height + right * sine + down * cosine;
        const float left = floorf(x - 0.5f), top = floorf(y - 0.5f);
        const float a = rintf((x - 0.5f - left) * 256) / 256, b = rintf((y - 0.5f - top) * 256) / 256;
        const int r = int(top), c = int(left);
        const float value = (1 - b) * ((1 - a) * texel(image, height, width, r, c, edge) +
                                       a * texel(image, height, width, r, c + 1, edge)) +
                            b * ((1 - a) * texel(image, height, width, r + 1, c, edge) +
                                 a * texel(image, height, width, r + 1, c + 1, edge));
        const float fetched = tex2D<float>(texture, x, y);
        out[row * width + col] = fetched == 0.0f ? 0.0f : value;
    }
}

extern "C" void texture_rotate(const float* image, float* out, int height, int width, float cosine,
                               float sine, int edge) {
    const size_t row_bytes = width * sizeof(float);
    float* d_image = nullptr;
    cudaMalloc(&d_image, height * row_bytes);
    cudaMemcpy(d_image, image, height * row_bytes, cudaMemcpyHostToDevice);

    cudaArray_t array = nullptr;
    const cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();
    cudaMallocArray(&array, &texel, width, height);
    cudaMemcpy2DToArray(array, 0, 0, d_image, row_bytes, row_bytes, height, cudaMemcpyDeviceToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc look = {};
    look.addressMode[0] = edge == 1 ? cudaAddressModeClamp : cudaAddressModeBorder;
    look.addressMode[1] = look.addressMode[0];
    look.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t texture = 0;
    cudaCreateTextureObject(&texture, &resource, &look, nullptr);

    float* d_out = nullptr;
    cudaMalloc(&d_out, height * row_bytes);
    const dim3 block(32, 8);
    const dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    rotate<<<grid, block>>>(texture, d_image, d_out, height, width, cosine, sine, edge);
    cudaMemcpy(out, d_out, height * row_bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    cudaFree(d_image);
    cudaDestroyTextureObject(texture);
    cudaFreeArray(array);
}
