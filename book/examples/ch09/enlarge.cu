// Enlarges an image; a texture blends the pixels.
#include <cstdio>

// ANCHOR: kernel
__global__ void enlarge(cudaTextureObject_t image, float* out, int height,
                        int width, float zoom) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < height && col < width) {
        float x = (col + 0.5f) / zoom;                             // (1)
        float y = (row + 0.5f) / zoom;
        out[row * width + col] = tex2D<float>(image, x, y);        // (2)
    }
}
// ANCHOR_END: kernel

// ANCHOR: texture
cudaTextureObject_t make_texture(cudaArray_t array) {
    cudaResourceDesc resource = {};                                // (1)
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;

    cudaTextureDesc how = {};                                      // (2)
    how.addressMode[0] = cudaAddressModeClamp;                     // (3)
    how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModeLinear;                         // (4)
    how.readMode = cudaReadModeElementType;                        // (5)
    how.normalizedCoords = 0;                                      // (6)

    cudaTextureObject_t texture = 0;
    cudaCreateTextureObject(&texture, &resource, &how, nullptr);   // (7)
    return texture;
}
// ANCHOR_END: texture

// ANCHOR: main
int main() {
    constexpr int ZOOM = 6;
    float image[2][3] = {{0, 9, 0}, {9, 0, 9}};
    constexpr int HEIGHT = 2 * ZOOM, WIDTH = 3 * ZOOM;

    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();  // (1)
    cudaArray_t array = nullptr;
    cudaMallocArray(&array, &format, 3, 2);                         // (2)
    cudaMemcpy2DToArray(array, 0, 0, image, 3 * sizeof(float),      // (3)
                        3 * sizeof(float), 2, cudaMemcpyHostToDevice);
    cudaTextureObject_t texture = make_texture(array);

    float out[HEIGHT][WIDTH];
    float* d_out = nullptr;
    cudaMalloc(&d_out, sizeof out);
    dim3 block(16, 16);
    dim3 grid((WIDTH + 15) / 16, (HEIGHT + 15) / 16);
    enlarge<<<grid, block>>>(texture, d_out, HEIGHT, WIDTH, ZOOM);
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);

    for (int row = 0; row < HEIGHT; ++row) {
        for (int col = 0; col < WIDTH; ++col) {
            printf("%c", " .:-=+*#%@"[int(out[row][col])]);
        }
        printf("\n");
    }
    cudaFree(d_out);
    cudaDestroyTextureObject(texture);                              // (4)
    cudaFreeArray(array);
}
// ANCHOR_END: main
