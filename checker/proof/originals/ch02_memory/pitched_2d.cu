// pitched_2d | chapter 2 | "Rows with a pitch"
//
// Goal    invert a region of an image, so that image[y0..y1, x0..x1] = 1 - image[y0..y1, x0..x1].
//         Copy only the region to the device and back, in one copy each way. On the device, store
//         its rows with a pitch, so that a request takes at most 4.2 sectors of 32 bytes.
//
// image   [height][width]  f32, in the host's memory, read and changed, but only in the region
// height, width    of the image
// y0, y1, x0, x1   the region: rows y0 .. y1-1, columns x0 .. x1-1
//
// cudaMallocPitch pads each row, so that the next row begins at the start of a sector. `pitch` is
// the number of bytes from one row to the next. This program forgets the pitch in two lines.
//
// Run     cargo checker check pitched_2d       Stuck?  cargo checker hint pitched_2d

__global__ void negative(float* region, size_t pitch, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        float* line = region + row * cols;  // where this row begins
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

    cudaMemcpy2D(region, host_pitch, d_region, bytes, bytes, rows, cudaMemcpyDeviceToHost);
    cudaFree(d_region);
}
