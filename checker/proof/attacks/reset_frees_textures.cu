// attack: destroys no texture and frees no array, and resets the device
// exercise: texture_rotate
// expect: memory-leak
// stopped-by: what is there at a reset has not been freed

__global__ void rotate(cudaTextureObject_t image, float* out, int height, int width, float cosine,
                       float sine) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < height && col < width) {
        const float right = col - 0.5f * (width - 1);  // distance from the centre of the image
        const float down = row - 0.5f * (height - 1);

        const float x = 0.5f * width + right * cosine - down * sine;
        const float y = 0.5f * height + right * sine + down * cosine;
        out[row * width + col] = tex2D<float>(image, x, y);
    }
}

extern "C" void texture_rotate(const float* image, float* out, int height, int width, float cosine,
                               float sine, int edge) {
    const size_t row_bytes = width * sizeof(float);
    cudaArray_t array = nullptr;
    const cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();

    cudaMallocArray(&array, &texel, width, height);
    cudaMemcpy2DToArray(array, 0, 0, image, row_bytes, row_bytes, height, cudaMemcpyHostToDevice);

    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;

    cudaTextureDesc look = {};
    look.addressMode[0] = edge == 1 ? cudaAddressModeClamp : cudaAddressModeBorder;
    look.addressMode[1] = look.addressMode[0];
    look.filterMode = cudaFilterModeLinear;
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
    cudaDeviceReset();
}
