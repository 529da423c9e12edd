// Each of two host threads has a default stream of its own.
#include <cstdio>
#include <thread>

// ANCHOR: all
__global__ void approach(float* v, float target, int steps) {
    float x = v[threadIdx.x];
    for (int step = 0; step < steps; ++step) {
        x = 0.5f * x + 0.5f * target;
    }
    v[threadIdx.x] = x;
}

void worker(float target, float* result) {
    cudaStream_t mine = cudaStreamPerThread;                      // (1)
    float* d_v = nullptr;
    cudaMalloc(&d_v, 128 * sizeof(float));
    cudaMemsetAsync(d_v, 0, 128 * sizeof(float), mine);
    approach<<<1, 128, 0, mine>>>(d_v, target, 5000);             // (2)
    cudaMemcpyAsync(result, d_v + 127, sizeof(float),
                    cudaMemcpyDeviceToHost, mine);
    cudaStreamSynchronize(mine);                                  // (3)
    cudaFree(d_v);
}

int main() {
    float results[2];
    std::thread first(worker, 4.0f, &results[0]);
    std::thread second(worker, 8.0f, &results[1]);
    first.join();
    second.join();
    printf("%g %g\n", results[0], results[1]);
}
// ANCHOR_END: all
