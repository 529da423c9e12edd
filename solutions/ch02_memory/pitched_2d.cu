// On the device as well as on the host, a row begins `row * pitch` bytes after the first row. Only
// the pitch differs. The host's pitch is the width of the image in bytes, not of the region.
// cudaMemcpy2D takes both pitches and the width in bytes, and the height in rows. Only the region's
// bytes cross the bus, once each way. On the device, each row begins at the start of a sector, so
// the kernel's requests need the fewest sectors.

__global__ void negative(float* region, size_t pitch, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        // compute in bytes, because the pitch need not be a whole number of floats
        float* line = (float*)((char*)region + row * pitch);
        line[col] = 1.0f - line[col];
    }
}

extern "C" void pitched_2d(float* image, int height, int width, int y0, int y1, int x0, int x1) {
    const int rows = y1 - y0;
    const int cols = x1 - x0;
    float* region = image + y0 * width + x0;          // the region's first pixel, on the host
    const size_t host_pitch = width * sizeof(float);  // bytes from one row of the image to the next
    const size_t bytes = cols * sizeof(float);        // bytes in one row of the region

    float* d_region = nullptr;
    size_t pitch = 0;
    cudaMallocPitch(&d_region, &pitch, bytes, rows);
    cudaMemcpy2D(d_region, pitch, region, host_pitch, bytes, rows, cudaMemcpyHostToDevice);

    const dim3 block(32, 8);
    const dim3 grid((cols + block.x - 1) / block.x, (rows + block.y - 1) / block.y);
    negative<<<grid, block>>>(d_region, pitch, rows, cols);

    cudaMemcpy2D(region, host_pitch, d_region, pitch, bytes, rows, cudaMemcpyDeviceToHost);
    cudaFree(d_region);
}
