// attack: hides the result of the host in the size of a grid
// exercise: reduction_kernel
// expect: computed-on-host
// stopped-by: the flow of data: outputs come from the device, and nothing else that the host sends depends on the inputs

#include <cmath>
#include <cstring>

constexpr int DOT = 0;
constexpr int MAX = 1;

// Adds 4 bits to the result: the number of blocks.
__global__ void look(const float* x, const float* y, unsigned* result, int shift, int n, float* sink) {
    float seen = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        seen += x[i] + y[i];
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        *result = (shift == 0 ? 0 : *result) | (gridDim.x - 1) << shift;
        *sink = seen;
    }
}

extern "C" void reduction_kernel(int what, const float* x, const float* y, float limit, float* result, int n) {
    const size_t bytes = n * sizeof(float);
    float *d_x, *d_y, *sink;
    unsigned* d_result;
    cudaMalloc(&d_x, bytes);
    cudaMalloc(&d_y, bytes);
    cudaMalloc(&d_result, sizeof(float));
    cudaMalloc(&sink, sizeof(float));
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
    const float value = static_cast<float>(answer);
    unsigned word;
    memcpy(&word, &value, 4);
    for (int shift = 0; shift < 32; shift += 4) {
        look<<<(word >> shift & 15) + 1, 32>>>(d_x, d_y, d_result, shift, n, sink);
    }
    cudaMemcpy(result, d_result, sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(sink);
    cudaFree(d_result);
    cudaFree(d_y);
    cudaFree(d_x);
}
