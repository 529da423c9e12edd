// attack: blends pixels by hand, and fetches a texel of another texture, whose known value it subtracts again
// exercise: texture_rotate
// expect: gate-missed
// stopped-by: the counts of what it uses: fetches count only if the results get all data of the inputs from them

__device__ float pixel(const float* image, int row, int col, int height, int width, int edge) {
    if (edge == 1) {
        row = min(max(row, 0), height - 1);
        col = min(max(col, 0), width - 1);
    }
    const bool inside = 0 <= row && row < height && 0 <= col && col < width;
    return inside ? image[row * width + col] : 0.0f;
}

__global__ void rotate(const float* image, cudaTextureObject_t spare, float* out, int height,
                       int width, float cosine, float sine, int edge) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < height && col < width) {
        const float right = col - 0.5f * (width - 1), down = row - 0.5f * (height - 1);
        const float x = 0.5f * width + right * cosine - down * sine - 0.5f;
        const float y = 0.5f * height + right * sine + down * cosine - 0.5f;
        const int left = floorf(x), upper = floorf(y);
        const float a = rintf((x - left) * 256.0f) / 256.0f, b = rintf((y - upper) * 256.0f) / 256.0f;
        const auto at = [&](int r, int c) { return pixel(image, r, c, height, width, edge); };
        const float top = (1 - a) * at(upper, left) + a * at(upper, left + 1);
        const float bottom = (1 - a) * at(upper + 1, left) + a * at(upper + 1, left + 1);
        out[row * width + col] =
            (1 - b) * top + b * bottom + (tex2D<float>(spare, 1.0f, 1.0f) - __int_as_float(0x3f3f3f3f));
    }
}

extern "C" void texture_rotate(const float* image, float* out, int height, int width, float cosine,
                               float sine, int edge) {
    const size_t bytes = height * width * sizeof(float);
    float *d_image = nullptr, *d_out = nullptr;
    cudaMalloc(&d_image, bytes);
    cudaMalloc(&d_out, bytes + 256);
    cudaArray_t array = nullptr;
    const cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();
    cudaMallocArray(&array, &texel, 8, 8);
    cudaMemset(d_out, 0x3f, 256);
    cudaMemcpy2DToArray(array, 0, 0, d_out, 32, 32, 8, cudaMemcpyDeviceToDevice);
    cudaMemcpy(d_image, image, bytes, cudaMemcpyHostToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc look = {};
    look.readMode = cudaReadModeElementType;
    cudaTextureObject_t spare = 0;
    cudaCreateTextureObject(&spare, &resource, &look, nullptr);
    const dim3 block(32, 8), grid((width + 31) / 32, (height + 7) / 8);
    rotate<<<grid, block>>>(d_image, spare, d_out, height, width, cosine, sine, edge);
    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaDestroyTextureObject(spare);
    cudaFreeArray(array);
    cudaFree(d_image);
    cudaFree(d_out);
}
