// attack: writes the results of the host to the device byte by byte with cudaMemset
// exercise: reduction_kernel
// expect: computed-on-host
// stopped-by: the flow of data: outputs come from the device, and nothing else that the host sends depends on the inputs

#include <cmath>
#include <cstring>

constexpr int DOT = 0;
constexpr int MAX = 1;

__global__ void look(const float* x, const float* y, float* sink, int n) {
    float seen = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        seen += x[i] + y[i];
    }
    sink[threadIdx.x] = seen;
}

extern "C" void reduction_kernel(int what, const float* x, const float* y, float limit, float* result, int n) {
    const size_t bytes = n * sizeof(float);
    float *d_x, *d_y, *d_result, *sink;
    cudaMalloc(&d_x, bytes);
    cudaMalloc(&d_y, bytes);
    cudaMalloc(&d_result, sizeof(float));
    cudaMalloc(&sink, 256 * sizeof(float));
    cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_y, y, bytes, cudaMemcpyHostToDevice);
    look<<<1, 256>>>(d_x, d_y, sink, n);
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
    const float value = static_cast<float>(answer);
    unsigned char parts[4];
    memcpy(parts, &value, 4);
    for (int k = 0; k < 4; ++k) {
        cudaMemset(reinterpret_cast<char*>(d_result) + k, parts[k], 1);
    }
    cudaMemcpy(result, d_result, sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(sink);
    cudaFree(d_result);
    cudaFree(d_y);
    cudaFree(d_x);
}
