// expect: gate-missed
// Takes the data apart, out and in again in every step.

#include <vector>

struct Points {
    float *x, *y, *z;  // [n] each, on the device
};

__global__ void turn(Points points, float c, float s, float lift, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        const float x = points.x[idx];
        const float y = points.y[idx];
        points.x[idx] = c * x - s * y;
        points.y[idx] = s * x + c * y;
        points.z[idx] += lift;
    }
}

extern "C" void structs_soa(const float* points, float c, float s, float lift, float* out, int n,
                            int steps) {
    const size_t bytes = n * sizeof(float);
    std::vector<float> field(n);
    std::vector<float> now(points, points + 3 * n);
    float* d_fields[3];

    for (int k = 0; k < 3; k++) {
        cudaMalloc(&d_fields[k], bytes);
    }

    const int block = 256;
    const int grid = (n + block - 1) / block;
    const Points all = {d_fields[0], d_fields[1], d_fields[2]};
    for (int step = 0; step < steps; step++) {
        for (int k = 0; k < 3; k++) {
            for (int i = 0; i < n; i++) {
                field[i] = now[3 * i + k];
            }
            cudaMemcpy(d_fields[k], field.data(), bytes, cudaMemcpyHostToDevice);
        }
        turn<<<grid, block>>>(all, c, s, lift, n);
        for (int k = 0; k < 3; k++) {
            cudaMemcpy(field.data(), d_fields[k], bytes, cudaMemcpyDeviceToHost);
            for (int i = 0; i < n; i++) {
                now[3 * i + k] = field[i];
            }
        }
    }

    for (int i = 0; i < 3 * n; i++) {
        out[i] = now[i];
    }
    for (int k = 0; k < 3; k++) {
        cudaFree(d_fields[k]);
    }
}
