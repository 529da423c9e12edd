// Runs four small kernels, first in one stream and then in four.
#include <cstdio>

// ANCHOR: kernel
__global__ void grow(float* v, float rate, int steps) {
    float x = v[threadIdx.x];
    for (int step = 0; step < steps; ++step) {
        x = x + rate * x * (1.0f - x);  // one colony of bacteria
    }
    v[threadIdx.x] = x;
}
// ANCHOR_END: kernel

int main() {
    constexpr int DISHES = 4, COLONIES = 256;
    constexpr size_t BYTES = DISHES * COLONIES * sizeof(float);
    float v[DISHES * COLONIES];
    for (float& x : v) {
        x = 0.01f;
    }
    float* d_v = nullptr;
    cudaMalloc(&d_v, BYTES);
    cudaMemcpy(d_v, v, BYTES, cudaMemcpyHostToDevice);
    cudaStream_t stream[DISHES];
    for (cudaStream_t& s : stream) {
        cudaStreamCreate(&s);
    }

    // ANCHOR: launches
    for (int k = 0; k < DISHES; ++k) {
        grow<<<1, COLONIES, 0, stream[0]>>>(                 // (1)
            d_v + k * COLONIES, 0.001f * (k + 1), 2000);
    }
    cudaDeviceSynchronize();
    for (int k = 0; k < DISHES; ++k) {
        grow<<<1, COLONIES, 0, stream[k]>>>(                 // (2)
            d_v + k * COLONIES, 0.001f * (k + 1), 2000);
    }
    // ANCHOR_END: launches

    cudaMemcpy(v, d_v, BYTES, cudaMemcpyDeviceToHost);
    for (int k = 0; k < DISHES; ++k) {
        printf("dish %d: %.3f of the room is taken\n", k,
               v[k * COLONIES]);
    }
    for (cudaStream_t& s : stream) {
        cudaStreamDestroy(s);
    }
    cudaFree(d_v);
}
