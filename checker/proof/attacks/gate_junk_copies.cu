// attack: the host takes the results from managed memory, and the copy with a pitch is for nothing
// exercise: pitched_2d
// expect: gate-missed
// stopped-by: the call without that copy

#include <cstring>
#include <vector>

__global__ void negative(const float* region, float* to, size_t pitch, int rows, int cols,
                         int stride) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        const float* line = (const float*)((const char*)region + row * pitch);
        to[row * stride + col] = 1.0f - line[col];
    }
}

extern "C" void pitched_2d(float* image, int height, int width, int y0, int y1, int x0, int x1) {
    const int rows = y1 - y0;
    const int cols = x1 - x0;
    float* part = image + y0 * width + x0;
    const int stride = (cols + 31) / 32 * 32;
    const size_t row_bytes = cols * sizeof(float);

    float *region, *to;
    size_t pitch = 0;
    cudaMallocPitch(&region, &pitch, row_bytes, rows);
    cudaMallocManaged(&to, rows * stride * sizeof(float));
    cudaMemcpy2D(region, pitch, part, width * sizeof(float), row_bytes, rows,
                 cudaMemcpyHostToDevice);
    const dim3 block(32, 8);
    const dim3 grid((cols + block.x - 1) / block.x, (rows + block.y - 1) / block.y);
    negative<<<grid, block>>>(region, to, pitch, rows, cols, stride);
    std::vector<float> nothing(rows * cols);
    cudaMemcpy2D(nothing.data(), row_bytes, region, pitch, row_bytes, rows,
                 cudaMemcpyDeviceToHost);
    cudaDeviceSynchronize();
    for (int row = 0; row < rows; ++row) {
        memcpy(part + row * width, to + row * stride, row_bytes);
    }
    cudaFree(to);
    cudaFree(region);
}
