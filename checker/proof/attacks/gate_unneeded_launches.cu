// attack: computes all steps in one launch, and launches a kernel that only stores a number for each other step
// exercise: structs_soa
// expect: gate-missed
// stopped-by: the count of launches: without each of a few launches, the results have to be wrong

#include <vector>

constexpr int FIELDS = 8;

struct Points {
    float *x, *y, *z;
};

__global__ void turn(Points points, float c, float s, float lift, int n, int steps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = points.x[i], y = points.y[i], z = points.z[i];
        for (int step = 0; step < steps; ++step) {
            const float old = x;
            x = c * x - s * y;
            y = s * old + c * y;
            z += lift;
        }
        points.x[i] = x;
        points.y[i] = y;
        points.z[i] = z;
    }
}

__device__ int unused;

__global__ void store(int number) {
    unused = number;
}

extern "C" void structs_soa(const float* points, float c, float s, float lift, float* out, int n,
                            int steps) {
    const size_t bytes = n * sizeof(float);
    std::vector<float> field(n);
    float* fields[3];
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < n; ++i) {
            field[i] = points[FIELDS * i + k];
        }
        cudaMalloc(&fields[k], bytes);
        cudaMemcpy(fields[k], field.data(), bytes, cudaMemcpyHostToDevice);
    }
    for (int step = 1; step < steps; ++step) {
        store<<<1, 1>>>(step);
    }
    turn<<<(n + 255) / 256, 256>>>({fields[0], fields[1], fields[2]}, c, s, lift, n, steps);
    for (int k = 0; k < 3; ++k) {
        cudaMemcpy(field.data(), fields[k], bytes, cudaMemcpyDeviceToHost);
        for (int i = 0; i < n; ++i) {
            out[3 * i + k] = field[i];
        }
        cudaFree(fields[k]);
    }
}
