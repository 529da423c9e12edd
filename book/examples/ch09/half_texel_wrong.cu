// Fetches each texel at its corner instead of its centre.
#include <cstdio>

// ANCHOR: kernel
__global__ void read_back(cudaTextureObject_t image, float* out, int height,
                          int width) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < height && col < width) {
        out[row * width + col] =
            tex2D<float>(image, col, row);  // <-- the corner of the texel
    }
}
// ANCHOR_END: kernel

int main() {
    float image[2][3] = {{0, 9, 0}, {9, 0, 9}};
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array = nullptr;
    cudaMallocArray(&array, &format, 3, 2);
    cudaMemcpy2DToArray(array, 0, 0, image, 3 * sizeof(float),
                        3 * sizeof(float), 2, cudaMemcpyHostToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t texture = 0;
    cudaCreateTextureObject(&texture, &resource, &how, nullptr);

    float out[2][3];
    float* d_out = nullptr;
    cudaMalloc(&d_out, sizeof out);
    read_back<<<1, dim3(3, 2)>>>(texture, d_out, 2, 3);
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);

    int wrong = 0;
    for (int row = 0; row < 2; ++row) {
        for (int col = 0; col < 3; ++col) {
            printf("%5g", out[row][col]);
            wrong += out[row][col] != image[row][col];
        }
        printf("\n");
    }
    printf("%d of 6 pixels have changed\n", wrong);
    cudaFree(d_out);
    cudaDestroyTextureObject(texture);
    cudaFreeArray(array);
    return wrong == 0 ? 0 : 1;
}
