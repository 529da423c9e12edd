// attack: gathers four texels and blends them itself
// exercise: texture_rotate
// expect: gate-missed
// stopped-by: the run in which gathers give 0

__global__ void rotate(cudaTextureObject_t image, float* out, int height, int width, float cosine,
                       float sine) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < height && col < width) {
        const float right = col - 0.5f * (width - 1);  // distance from the centre of the image
        const float down = row - 0.5f * (height - 1);

        const float x = 0.5f * width + right * cosine - down * sine;
        const float y = 0.5f * height + right * sine + down * cosine;
        const float fx = x - 0.5f, fy = y - 0.5f, x0 = floorf(fx), y0 = floorf(fy);
        const float4 g = tex2Dgather<float4>(image, x0 + 1.0f, y0 + 1.0f, 0);
        const float p = rintf((fx - x0) * 256) / 256, q = rintf((fy - y0) * 256) / 256;
        out[row * width + col] = (1 - q) * ((1 - p) * g.w + p * g.z) + q * ((1 - p) * g.x + p * g.y);
    }
}

extern "C" void texture_rotate(const float* image, float* out, int height, int width, float cosine,
                               float sine, int edge) {
    const size_t row_bytes = width * sizeof(float);
    cudaArray_t array = nullptr;
    const cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();

    cudaMallocArray(&array, &texel, width, height, cudaArrayTextureGather);
    cudaMemcpy2DToArray(array, 0, 0, image, row_bytes, row_bytes, height, cudaMemcpyHostToDevice);

    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;

    cudaTextureDesc look = {};
    look.addressMode[0] = edge == 1 ? cudaAddressModeClamp : cudaAddressModeBorder;
    look.addressMode[1] = look.addressMode[0];
    look.filterMode = cudaFilterModePoint;
    look.readMode = cudaReadModeElementType;
    look.normalizedCoords = 0;

    cudaTextureObject_t texture = 0;
    cudaCreateTextureObject(&texture, &resource, &look, nullptr);

    float* d_out = nullptr;
    cudaMalloc(&d_out, height * row_bytes);
    const dim3 block(32, 8);
    const dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    rotate<<<grid, block>>>(texture, d_out, height, width, cosine, sine);

    cudaMemcpy(out, d_out, height * row_bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    cudaDestroyTextureObject(texture);
    cudaFreeArray(array);
}
