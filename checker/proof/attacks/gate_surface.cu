// attack: reads each pixel nine times through a surface, so that no load is counted
// exercise: sobel_const
// expect: gate-missed
// stopped-by: gates count what moves data: a load through a surface is a load

__constant__ float smooth_weights[3], slope_weights[3];

__device__ int stands_for(int i, int n, int border) {
    if (0 <= i && i < n) {
        return i;
    }
    return border == 1 ? (i < 0 ? 0 : n - 1) : border == 2 ? (i + n) % n : -1;
}

__global__ void sobel(cudaSurfaceObject_t image, float* out, int height, int width, int border) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < height && col < width) {
        float across = 0.0f, down = 0.0f;
        for (int dy = 0; dy < 3; ++dy) {
            for (int dx = 0; dx < 3; ++dx) {
                const int y = stands_for(row + dy - 1, height, border), x = stands_for(col + dx - 1, width, border);
                const float value = y < 0 || x < 0 ? 0.0f : surf2Dread<float>(image, 4 * x, y);
                across += smooth_weights[dy] * slope_weights[dx] * value;
                down += slope_weights[dy] * smooth_weights[dx] * value;
            }
        }
        out[row * width + col] = fabsf(across) + fabsf(down);
    }
}

extern "C" void sobel_const(const float* image, float* out, const float* smooth, const float* slope, int height,
                            int width, int border) {
    const size_t line = width * sizeof(float);
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaMallocArray(&array, &format, width, height, cudaArraySurfaceLoadStore);
    cudaMemcpy2DToArray(array, 0, 0, image, line, line, height, cudaMemcpyHostToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface;
    cudaCreateSurfaceObject(&surface, &resource);
    cudaMemcpyToSymbol(smooth_weights, smooth, 3 * sizeof(float));
    cudaMemcpyToSymbol(slope_weights, slope, 3 * sizeof(float));
    float* d_out = nullptr;
    cudaMalloc(&d_out, line * height);
    const dim3 block(32, 8);
    const dim3 grid((width + 31) / 32, (height + 7) / 8);
    sobel<<<grid, block>>>(surface, d_out, height, width, border);
    cudaMemcpy(out, d_out, line * height, cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    cudaDestroySurfaceObject(surface);
    cudaFreeArray(array);
}
