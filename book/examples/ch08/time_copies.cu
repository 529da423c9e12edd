// Three events in a stream measure two copies.
#include <cstdio>
#include <vector>

// ANCHOR: measure
int main() {
    constexpr size_t BYTES = 8 << 20;
    std::vector<char> host(BYTES);
    char* d_data = nullptr;
    cudaMalloc(&d_data, BYTES);

    cudaEvent_t begin, middle, end;
    cudaEventCreate(&begin);                                    // (1)
    cudaEventCreate(&middle);
    cudaEventCreate(&end);

    cudaEventRecord(begin);                                     // (2)
    cudaMemcpy(d_data, host.data(), BYTES, cudaMemcpyHostToDevice);
    cudaEventRecord(middle);
    cudaMemcpy(host.data(), d_data, BYTES, cudaMemcpyDeviceToHost);
    cudaEventRecord(end);

    cudaEventSynchronize(end);                                  // (3)

    float in = 0.0f, out = 0.0f;
    cudaEventElapsedTime(&in, begin, middle);                   // (4)
    cudaEventElapsedTime(&out, middle, end);
    printf("to the device: %.3f ms, %.1f GB/s\n", in, BYTES / in / 1e6);
    printf("to the host:   %.3f ms, %.1f GB/s\n", out, BYTES / out / 1e6);

    cudaEventDestroy(end);                                      // (5)
    cudaEventDestroy(middle);
    cudaEventDestroy(begin);
    cudaFree(d_data);
}
// ANCHOR_END: measure
