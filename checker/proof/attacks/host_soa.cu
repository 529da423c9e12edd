// attack: computes on the host where the host may rearrange arrays
// exercise: structs_soa
// expect: computed-on-host
// stopped-by: the flow of data: outputs come from the device, and nothing else that the host sends depends on the inputs

#include <vector>

__global__ void move(const float* from, float* to, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        to[i] = from[i];
    }
}

extern "C" void structs_soa(const float* points, float c, float s, float lift, float* out, int n, int steps) {
    std::vector<float> all(3 * n);
    for (int i = 0; i < 3 * n; ++i) {
        all[i] = points[8 * (i / 3) + i % 3];
    }
    for (int step = 0; step < steps; ++step) {
        for (int i = 0; i < n; ++i) {
            const float x = all[3 * i], y = all[3 * i + 1];
            all[3 * i] = c * x - s * y;
            all[3 * i + 1] = s * x + c * y;
            all[3 * i + 2] += lift;
        }
    }
    float *from, *to;
    cudaMalloc(&from, 3 * n * sizeof(float));
    cudaMalloc(&to, 3 * n * sizeof(float));
    cudaMemcpy(from, all.data(), 3 * n * sizeof(float), cudaMemcpyHostToDevice);
    move<<<(3 * n + 255) / 256, 256>>>(from, to, 3 * n);
    for (int step = 1; step < steps; ++step) {
        move<<<(3 * n + 255) / 256, 256>>>(from, to, 3 * n);
    }
    cudaMemcpy(out, to, 3 * n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(to);
    cudaFree(from);
}
