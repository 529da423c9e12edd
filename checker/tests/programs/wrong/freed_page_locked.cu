// Page-locked memory is read after it was freed.
#include <cstdio>

int main() {
    int* host;
    cudaMallocHost(&host, 100 * sizeof(int));
    host[0] = 42;
    cudaFreeHost(host);  // fixed:
    printf("%d\n", host[0]);  // fixed: printf("%d\n", host[0]), cudaFreeHost(host);
}
