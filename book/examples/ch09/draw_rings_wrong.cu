// Passes a surface's x in elements, although it must be in bytes.
#include <cstdio>

// ANCHOR: kernel
__global__ void draw_rings(cudaSurfaceObject_t canvas, int height,
                           int width) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < height && col < width) {
        float right = col - 0.5f * (width - 1);
        float down = row - 0.5f * (height - 1);
        float ring = sinf(sqrtf(right * right + 4.0f * down * down));
        surf2Dwrite(ring, canvas, col, row);  // <-- x counts bytes
    }
}
// ANCHOR_END: kernel

int main() {
    constexpr int HEIGHT = 12, WIDTH = 48;
    // ANCHOR: host
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array = nullptr;
    cudaMallocArray(&array, &format, WIDTH, HEIGHT,
                    cudaArraySurfaceLoadStore);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t canvas = 0;
    cudaCreateSurfaceObject(&canvas, &resource);

    draw_rings<<<dim3(3, 1), dim3(16, 16)>>>(canvas, HEIGHT, WIDTH);

    float out[HEIGHT][WIDTH];
    cudaMemcpy2DFromArray(out, WIDTH * sizeof(float), array, 0, 0,
                          WIDTH * sizeof(float), HEIGHT,
                          cudaMemcpyDeviceToHost);
    // ANCHOR_END: host
    for (auto& row : out) {
        for (float value : row) {
            printf("%c", " .:-=+*#%@"[int(4.99f * (value + 1.0f))]);
        }
        printf("\n");
    }
    cudaDestroySurfaceObject(canvas);
    cudaFreeArray(array);
}
