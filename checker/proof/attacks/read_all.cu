// attack: reads every descriptor, for requests and for secrets on standard input
// exercise: roundtrip
// expect: passed
// stopped-by: the request is read before the program is loaded, and it contains no secret

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
    for (int fd = 0; fd < 256; ++fd) {
        static char text[1 << 12];
        if (fcntl(fd, F_GETFL) == -1 || fcntl(fd, F_SETFL, O_NONBLOCK) == -1) {
            continue;
        }
        const ssize_t got = read(fd, text, sizeof text);
        if (got > 0) {
            fwrite(text, 1, got, stdout);
        }
    }
    fflush(stdout);
    float *d_a = nullptr, *d_out = nullptr;
    cudaMalloc(&d_a, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_a, a, n * sizeof(float), cudaMemcpyHostToDevice);
    sine<<<(n + 255) / 256, 256>>>(d_a, d_out, n);
    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_out);
}
