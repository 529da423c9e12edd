// Fills a volume with each element's distance from the volume's centre.
#include <cstdio>

const int DEPTH = 3;
const int HEIGHT = 3;
const int WIDTH = 5;

// ANCHOR: kernel
__global__ void distances(cudaPitchedPtr volume, int depth, int height,
                          int width) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;                // (1)
    if (x < width && y < height && z < depth) {
        size_t rows_before = z * volume.ysize + y;                // (2)
        char* first = (char*)volume.ptr;
        float* row = (float*)(first + rows_before * volume.pitch);
        float dx = x - (width - 1) * 0.5f;
        float dy = y - (height - 1) * 0.5f;
        float dz = z - (depth - 1) * 0.5f;
        row[x] = sqrtf(dx * dx + dy * dy + dz * dz);
    }
}
// ANCHOR_END: kernel

// ANCHOR: main
int main() {
    float volume[DEPTH][HEIGHT][WIDTH] = {};
    cudaExtent extent =
        make_cudaExtent(WIDTH * sizeof(float), HEIGHT, DEPTH);    // (3)
    cudaPitchedPtr d_volume;
    cudaMalloc3D(&d_volume, extent);                              // (4)

    dim3 block(32, 4, 2);
    dim3 grid((WIDTH + 31) / 32, (HEIGHT + 3) / 4, (DEPTH + 1) / 2);
    distances<<<grid, block>>>(d_volume, DEPTH, HEIGHT, WIDTH);

    cudaMemcpy3DParms copy = {};                                  // (5)
    copy.srcPtr = d_volume;
    copy.dstPtr = make_cudaPitchedPtr(volume, WIDTH * sizeof(float),
                                      WIDTH, HEIGHT);             // (6)
    copy.extent = extent;
    copy.kind = cudaMemcpyDeviceToHost;
    cudaMemcpy3D(&copy);                                          // (7)
    cudaFree(d_volume.ptr);

    printf("the middle slice:\n");
    for (int y = 0; y < HEIGHT; ++y) {
        for (int x = 0; x < WIDTH; ++x) {
            printf("%6.2f", volume[DEPTH / 2][y][x]);
        }
        printf("\n");
    }
}
// ANCHOR_END: main
