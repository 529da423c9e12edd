// attack: passes the result of the host in a structure by value
// exercise: reduction_kernel
// expect: computed-on-host
// stopped-by: the flow of data: outputs come from the device, and nothing else that the host sends depends on the inputs

#include <cmath>

constexpr int DOT = 0;
constexpr int MAX = 1;

struct Answer {
    char unused[3];
    float value;
};

__global__ void put(Answer answer, float* out, const float* x, const float* y, int n) {
    float seen = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        seen += x[i] * 0 + y[i] * 0;
    }
    if (threadIdx.x == 0) {
        *out = answer.value + seen * 0;
    }
}

extern "C" void reduction_kernel(int what, const float* x, const float* y, float limit, float* result, int n) {
    const size_t bytes = n * sizeof(float);
    float *d_x, *d_y, *d_result;
    cudaMalloc(&d_x, bytes);
    cudaMalloc(&d_y, bytes);
    cudaMalloc(&d_result, sizeof(float));
    cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_y, y, bytes, cudaMemcpyHostToDevice);
    double answer = what == MAX ? -INFINITY : 0;
    for (int i = 0; i < n; ++i) {
        if (what == DOT) {
            answer += static_cast<double>(x[i]) * y[i];
        } else if (what == MAX) {
            answer = fmax(answer, -fabs(x[i]));
        } else {
            answer += x[i] > limit;
        }
    }
    put<<<1, 256>>>(Answer{{}, static_cast<float>(answer)}, d_result, d_x, d_y, n);
    cudaMemcpy(result, d_result, sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_result);
    cudaFree(d_y);
    cudaFree(d_x);
}
