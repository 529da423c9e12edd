// attack: lists folders, to find the names of students and other files
// exercise: roundtrip
// expect: passed
// prints-not: listed
// stopped-by: files: folders cannot be listed

#include <cstdio>
#include <dirent.h>

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    for (const char* name : {"/", "/home", "/root", "/tmp", "/etc", "@CANARY@", "@CANARY@/submissions", "@COURSE@", "."}) {
        DIR* folder = opendir(name);
        while (const dirent* entry = folder == nullptr ? nullptr : readdir(folder)) {
            printf("listed %s/%s\n", name, entry->d_name);
        }
    }
    float *d_a = nullptr, *d_out = nullptr;
    cudaMalloc(&d_a, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_a, a, n * sizeof(float), cudaMemcpyHostToDevice);
    sine<<<(n + 255) / 256, 256>>>(d_a, d_out, n);
    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_out);
}
