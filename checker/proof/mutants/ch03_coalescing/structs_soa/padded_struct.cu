// expect: gate-missed
// Uses 16 bytes for each point, so one load reads a point, but a quarter of it is padding.

#include <vector>

__global__ void turn(float4* points, float c, float s, float lift, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        const float4 p = points[idx];
        points[idx] = make_float4(c * p.x - s * p.y, s * p.x + c * p.y, p.z + lift, 0.0f);
    }
}

extern "C" void structs_soa(const float* points, float c, float s, float lift, float* out, int n,
                            int steps) {
    std::vector<float4> padded(n);
    for (int i = 0; i < n; i++) {
        padded[i] = make_float4(points[8 * i], points[8 * i + 1], points[8 * i + 2], 0.0f);
    }
    const size_t bytes = n * sizeof(float4);
    float4* d_points = nullptr;
    cudaMalloc(&d_points, bytes);
    cudaMemcpy(d_points, padded.data(), bytes, cudaMemcpyHostToDevice);

    const int block = 256;
    const int grid = (n + block - 1) / block;
    for (int step = 0; step < steps; step++) {
        turn<<<grid, block>>>(d_points, c, s, lift, n);
    }

    cudaMemcpy(padded.data(), d_points, bytes, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) {
        out[3 * i] = padded[i].x;
        out[3 * i + 1] = padded[i].y;
        out[3 * i + 2] = padded[i].z;
    }
    cudaFree(d_points);
}
