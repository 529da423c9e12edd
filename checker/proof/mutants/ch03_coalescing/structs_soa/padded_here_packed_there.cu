// expect: wrong-values
// The bytes of packed points in an array of padded structs: right for the first point.

#include <vector>

struct alignas(16) Point {
    float x, y, z;
};

__global__ void turn(Point* points, float c, float s, float lift, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        const float x = points[idx].x;
        const float y = points[idx].y;
        points[idx].x = c * x - s * y;
        points[idx].y = s * x + c * y;
        points[idx].z += lift;
    }
}

extern "C" void structs_soa(const float* points, float c, float s, float lift, float* out, int n,
                            int steps) {
    const size_t bytes = n * 3 * sizeof(float);
    Point* d_points = nullptr;
    cudaMalloc(&d_points, n * sizeof(Point));
    cudaMemset(d_points, 0, n * sizeof(Point));
    cudaMemcpy(d_points, points, bytes, cudaMemcpyHostToDevice);

    const int block = 256;
    const int grid = (n + block - 1) / block;
    for (int step = 0; step < steps; step++) {
        turn<<<grid, block>>>(d_points, c, s, lift, n);
    }

    cudaMemcpy(out, d_points, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_points);
}
