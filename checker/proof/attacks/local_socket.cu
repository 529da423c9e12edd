// attack: talks to services of the machine: a container engine, a bus
// exercise: roundtrip
// expect: host-crash
// stopped-by: system calls: a forbidden one ends the process

#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    const int to = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un where = {AF_UNIX, "/var/run/docker.sock"};
    connect(to, reinterpret_cast<sockaddr*>(&where), sizeof where);
    float *d_a = nullptr, *d_out = nullptr;
    cudaMalloc(&d_a, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_a, a, n * sizeof(float), cudaMemcpyHostToDevice);
    sine<<<(n + 255) / 256, 256>>>(d_a, d_out, n);
    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_out);
}
