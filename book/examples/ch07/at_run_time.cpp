// Compiles a kernel while the program runs, and launches it. Build with
//     nvcc at_run_time.cpp -lnvrtc -o at_run_time
#include <cstdio>
#include <cstdlib>
#include <string>

#include <cuda_runtime.h>
#include <nvrtc.h>

// ANCHOR: source
const char* SOURCE = R"(
extern "C" __global__ void evaluate(const float* coefficients,
                                    const float* x, float* y, int n) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        float value = coefficients[DEGREE];
        for (int k = DEGREE - 1; k >= 0; --k) {
            value = value * x[idx] + coefficients[k];
        }
        y[idx] = value;
    }
})";
// ANCHOR_END: source

// ANCHOR: compile
std::string compile(int degree) {
    nvrtcProgram program;
    nvrtcCreateProgram(&program, SOURCE, "evaluate.cu",            // (1)
                       0, nullptr, nullptr);

    std::string define = "-DDEGREE=" + std::to_string(degree);     // (2)
    const char* options[] = {define.c_str(), "-arch=compute_75"};
    if (nvrtcCompileProgram(program, 2, options) != NVRTC_SUCCESS) {
        size_t size;                                               // (3)
        nvrtcGetProgramLogSize(program, &size);
        std::string log(size, '\0');
        nvrtcGetProgramLog(program, log.data());
        fprintf(stderr, "%s", log.c_str());
        exit(1);
    }

    size_t size;                                                   // (4)
    nvrtcGetPTXSize(program, &size);
    std::string ptx(size, '\0');
    nvrtcGetPTX(program, ptx.data());
    nvrtcDestroyProgram(&program);
    return ptx;
}
// ANCHOR_END: compile

int branches(const std::string& ptx) {
    int count = 0;
    for (size_t at = ptx.find("bra"); at != std::string::npos;
         at = ptx.find("bra", at + 1)) {
        ++count;
    }
    return count;
}

int main(int argc, char** argv) {
    const int degree = argc > 1 ? atoi(argv[1]) : 3;
    const std::string ptx = compile(degree);
    printf("degree %d: %zu bytes of PTX, %d branch(es)\n", degree,
           ptx.size(), branches(ptx));

    // ANCHOR: launch
    cudaLibrary_t library;                                         // (5)
    cudaError_t error = cudaLibraryLoadData(
        &library, ptx.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0);
    if (error != cudaSuccess) {
        printf("not run: %s\n", cudaGetErrorString(error));
        return 0;
    }
    cudaKernel_t kernel;                                           // (6)
    cudaLibraryGetKernel(&kernel, library, "evaluate");
    // ANCHOR_END: launch

    int n = 256;
    float x[256], y[256], *d_coefficients, *d_x, *d_y;
    float* coefficients = new float[degree + 1];
    for (int k = 0; k <= degree; ++k) {
        coefficients[k] = 1.0f;
    }
    for (int i = 0; i < n; ++i) {
        x[i] = i * 0.5f;
    }
    cudaMalloc(&d_coefficients, (degree + 1) * sizeof(float));
    cudaMalloc(&d_x, sizeof x);
    cudaMalloc(&d_y, sizeof y);
    cudaMemcpy(d_coefficients, coefficients, (degree + 1) * sizeof(float),
               cudaMemcpyHostToDevice);
    cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice);

    // ANCHOR: arguments
    void* arguments[] = {&d_coefficients, &d_x, &d_y, &n};         // (7)
    cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1),
                     dim3(256), arguments, 0, nullptr);
    // ANCHOR_END: arguments

    cudaMemcpy(y, d_y, sizeof y, cudaMemcpyDeviceToHost);
    printf("p(%.1f) = %.3f\n", x[4], y[4]);
    cudaFree(d_y);
    cudaFree(d_x);
    cudaFree(d_coefficients);
    delete[] coefficients;
    cudaLibraryUnload(library);
}
