// Each field that the kernel needs has an array of its own, so the x of neighbouring points are
// neighbours in memory, and a warp's request takes 4 sectors instead of 32. Each step takes 3 loads
// and 3 stores per point, as before. The host rearranges the points once before the first step and
// once after the last step. The other five fields stay on the host, so the copies are shorter, too.
// The fields are three arrays instead of three parts of one array, so each field begins at the
// start of a sector for every n.

#include <vector>

constexpr int FIELDS = 8;  // floats of a point on the host: x, y, z, and five that stay there

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
    float* d_fields[3];

    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < n; i++) {
            field[i] = points[FIELDS * i + k];
        }
        cudaMalloc(&d_fields[k], bytes);
        cudaMemcpy(d_fields[k], field.data(), bytes, cudaMemcpyHostToDevice);
    }

    const int block = 256;
    const int grid = (n + block - 1) / block;
    const Points all = {d_fields[0], d_fields[1], d_fields[2]};
    for (int step = 0; step < steps; step++) {
        turn<<<grid, block>>>(all, c, s, lift, n);
    }

    for (int k = 0; k < 3; k++) {
        cudaMemcpy(field.data(), d_fields[k], bytes, cudaMemcpyDeviceToHost);
        for (int i = 0; i < n; i++) {
            out[3 * i + k] = field[i];
        }
        cudaFree(d_fields[k]);
    }
}
