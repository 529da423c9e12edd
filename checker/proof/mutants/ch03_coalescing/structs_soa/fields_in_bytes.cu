// expect: out-of-bounds-write
// Keeps all fields in one array with offsets in bytes, although a pointer to float counts in
// floats.

#include <vector>

__global__ void turn(float* fields, float c, float s, float lift, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        float* xs = fields;
        float* ys = fields + n * sizeof(float);
        float* zs = fields + 2 * n * sizeof(float);
        const float x = xs[idx];
        const float y = ys[idx];
        xs[idx] = c * x - s * y;
        ys[idx] = s * x + c * y;
        zs[idx] += lift;
    }
}

extern "C" void structs_soa(const float* points, float c, float s, float lift, float* out, int n,
                            int steps) {
    const size_t bytes = 3 * n * sizeof(float);
    std::vector<float> fields(3 * n);
    for (int i = 0; i < 3 * n; i++) {
        fields[i % 3 * n + i / 3] = points[8 * (i / 3) + i % 3];
    }
    float* d_fields = nullptr;
    cudaMalloc(&d_fields, bytes);
    cudaMemcpy(d_fields, fields.data(), bytes, cudaMemcpyHostToDevice);

    const int block = 256;
    for (int step = 0; step < steps; step++) {
        turn<<<(n + block - 1) / block, block>>>(d_fields, c, s, lift, n);
    }

    cudaMemcpy(fields.data(), d_fields, bytes, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 3 * n; i++) {
        out[i] = fields[i % 3 * n + i / 3];
    }
    cudaFree(d_fields);
}
