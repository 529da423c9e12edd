// Prints the properties of a device as bytes, and its attributes, limits, pitches of rows and distances of allocations.
// nvcc -std=c++17 device.cu && ./a.out > device-GPU.txt; `device-h200.txt` is an NVIDIA H200 with driver 580.159.04. Its unique identifier is left out.
#include <cstdio>
#include <cstring>
int main() {
    cudaDeviceProp p;
    memset(&p, 0, sizeof p);
    printf("properties %d %zu\n", cudaGetDeviceProperties(&p, 0), sizeof p);
    const unsigned char* b = (const unsigned char*)&p;
    for (size_t i = 0; i < sizeof p; ++i) printf("%02x%s", b[i], i % 64 == 63 ? "\n" : "");
    printf("\n");
    for (int a = 0; a < 160; ++a) {
        int v = -1;
        cudaError_t e = cudaDeviceGetAttribute(&v, (cudaDeviceAttr)a, 0);
        if (e == cudaSuccess) printf("attribute %d %d\n", a, v);
        else printf("attribute %d error %d\n", a, e);
    }
    (void)cudaGetLastError();
    for (int l = 0; l < 8; ++l) {
        size_t v = 0;
        cudaError_t e = cudaDeviceGetLimit(&v, (cudaLimit)l);
        printf("limit %d %d %zu\n", l, e, v);
    }
    size_t f = 0, t = 0;
    printf("memory %d", cudaMemGetInfo(&f, &t));
    printf(" %zu %zu\n", f, t);
    int least = 0, greatest = 0;
    cudaDeviceGetStreamPriorityRange(&least, &greatest);
    printf("priorities %d %d\n", least, greatest);
    for (size_t w : {1, 31, 32, 33, 100, 500, 511, 512, 513, 1000, 4096, 5000}) {
        void* q; size_t pitch = 0;
        cudaError_t e = cudaMallocPitch(&q, &pitch, w, 10);
        printf("pitch %zu %d %zu\n", w, e, pitch);
    }
    void* q[6];
    for (int i = 0; i < 6; ++i) cudaMalloc(&q[i], 1);
    for (int i = 1; i < 6; ++i) printf("distance %ld\n", (long)((char*)q[i] - (char*)q[i - 1]));
}
