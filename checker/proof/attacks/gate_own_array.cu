// attack: packs its image without a pitch, and loads the end of the array again and again in whole sectors to lower the average
// exercise: pitched_2d
// expect: uncoalesced
// stopped-by: wasted sectors are divided by the requests that the exercise needs, and not by all requests

__global__ void negative(float* region, const volatile float* end, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        region[row * cols + col] = 1.0f - region[row * cols + col];
    }
    for (int i = 0; i < 100; ++i) {
        (void)end[threadIdx.x];
    }
}

extern "C" void pitched_2d(float* image, int height, int width, int y0, int y1, int x0, int x1) {
    const int rows = y1 - y0, cols = x1 - x0;
    float* region = image + y0 * width + x0;
    float* d_region = nullptr;
    const size_t packed = (rows * cols + 31) / 32 * 32;
    cudaMalloc(&d_region, (packed + 32) * sizeof(float));
    cudaMemset(d_region, 0, (packed + 32) * sizeof(float));
    cudaMemcpy2D(d_region, cols * sizeof(float), region, width * sizeof(float), cols * sizeof(float), rows,
                 cudaMemcpyHostToDevice);
    const dim3 block(32, 1);
    const dim3 grid((cols + block.x - 1) / block.x, (rows + block.y - 1) / block.y);
    negative<<<grid, block>>>(d_region, d_region + packed, rows, cols);
    cudaMemcpy2D(region, width * sizeof(float), d_region, cols * sizeof(float), cols * sizeof(float), rows,
                 cudaMemcpyDeviceToHost);
    cudaFree(d_region);
}
