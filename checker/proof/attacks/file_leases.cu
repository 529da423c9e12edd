// attack: asks for a signal whenever a file is opened or a folder changes
// exercise: roundtrip
// expect: passed
// prints-not: watches
// gpu: yes
// stopped-by: system calls: leases and notifications fail

#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    const int folder = open("/usr/lib", O_RDONLY | O_DIRECTORY);
    const int file = open("/usr/lib/os-release", O_RDONLY);
    if (fcntl(folder, F_NOTIFY, DN_ACCESS | DN_MULTISHOT) == 0 || fcntl(file, F_SETLEASE, F_RDLCK) == 0) {
        printf("watches\n");
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
