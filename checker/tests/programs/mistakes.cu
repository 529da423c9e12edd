// Error codes for harmless mistakes. cudaGetLastError returns an error only once.
#include <cstdio>

__global__ void one(int* x) { *x = 1; }

static void say(const char* what, cudaError_t code) {
    printf("%s: %d %s\n", what, code, cudaGetErrorName(code));
}

int main() {
    int host = 0, *x = nullptr;
    cudaMalloc(&x, 64);
    say("wrong direction", cudaMemcpy(x, &host, 4, cudaMemcpyDeviceToHost));
    say("told", cudaGetLastError());
    say("told once", cudaGetLastError());
    say("no such direction", cudaMemcpy(x, &host, 4, (cudaMemcpyKind)17));
    say("beyond the end", cudaMemcpy(&host, x + 16, 4, cudaMemcpyDeviceToHost));
    say("nothing to copy", cudaMemcpy(x, &host, 0, cudaMemcpyHostToDevice));
    say("no device 99", cudaSetDevice(99));
    say("free nothing", cudaFree(nullptr));
    say("free the middle", cudaFree(x + 1));
    say("free host memory", cudaFreeHost(nullptr));
    (void)cudaGetLastError();
    one<<<0, 32>>>(x);
    say("no blocks", cudaGetLastError());
    one<<<1, 2000>>>(x);
    say("too many threads", cudaGetLastError());
    one<<<1, 32, 1 << 20>>>(x);
    say("too much shared memory", cudaGetLastError());
    say("peek", cudaPeekAtLastError());
    one<<<1, 1>>>(x);
    say("fine", cudaDeviceSynchronize());
    cudaMemcpy(&host, x, 4, cudaMemcpyDefault);
    printf("%d\n", host);
    say("free", cudaFree(x));
    say("free again", cudaFree(x));
    printf("%s | %s\n", cudaGetErrorString(cudaErrorInvalidValue), cudaGetErrorString((cudaError_t)12345));
}
