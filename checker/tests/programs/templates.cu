// Kernels that are templates, parameters that are structs, and host code in C++.
#include <algorithm>
#include <cstdio>
#include <vector>

struct Line {
    float slope, offset;
    char name;
};

template <typename T, int STEP>
__global__ void apply(const T* in, T* out, Line line, int n) {
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) * STEP;
    for (int k = i; k < n && k < i + STEP; ++k) {
        out[k] = static_cast<T>(line.slope * in[k] + line.offset);
    }
}

template <typename T>
void demo(const char* name, int n) {
    std::vector<T> host(n);
    for (int i = 0; i < n; ++i) {
        host[i] = static_cast<T>(i);
    }
    T *in, *out;
    cudaMalloc(&in, n * sizeof(T));
    cudaMalloc(&out, n * sizeof(T));
    cudaMemcpy(in, host.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    apply<T, 3><<<dim3(4), dim3(16)>>>(in, out, Line{2.0f, 0.5f, 'x'}, n);
    cudaMemcpy(host.data(), out, n * sizeof(T), cudaMemcpyDeviceToHost);
    printf("%s: %g %g, largest %g\n", name, double(host[1]), double(host[n - 1]),
           double(*std::max_element(host.begin(), host.end())));
    cudaFree(in);
    cudaFree(out);
}

int main() {
    demo<float>("float", 100);
    demo<double>("double", 150);
    demo<int>("int", 7);
    demo<unsigned char>("unsigned char", 120);
}
