// attack: links a file that it may not read into the folder that it may use
// exercise: roundtrip
// expect: passed
// stopped-by: files: the program writes nowhere

#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    const char* own = getenv("TMPDIR");
    if (own != nullptr && chdir(own) == 0 && (symlink("@CANARY@/secret.txt", "link") == 0 || link("@CANARY@/secret.txt", "link") == 0)) {
        char text[100] = {};
        (void)!read(open("link", O_RDONLY), text, 99);
        puts(text);
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
