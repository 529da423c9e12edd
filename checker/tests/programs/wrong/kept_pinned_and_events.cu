// Page-locked memory, registered memory, a stream and an event are never given back.
#include <cstdlib>

int main() {
    float *pinned, *own = static_cast<float*>(malloc(4096));
    cudaStream_t stream;
    cudaEvent_t event;
    cudaMallocHost(&pinned, 4096);
    cudaHostRegister(own, 4096, cudaHostRegisterDefault);
    cudaStreamCreate(&stream);
    cudaEventCreate(&event);
    cudaEventRecord(event, stream);
    cudaStreamSynchronize(stream);
    // fixed: cudaEventDestroy(event);
    // fixed: cudaStreamDestroy(stream);
    // fixed: cudaHostUnregister(own);
    // fixed: cudaFreeHost(pinned);
}
