// Simulates neurons that charge up, leak, and fire at a threshold.
#include <cstdio>

// ANCHOR: kernel
__global__ void charge(float* v, const float* current,
                       unsigned char* fired, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float charged = 0.9f * v[i] + current[i];                 // (1)
        bool fires = charged >= 1.0f;                             // (2)
        v[i] = fires ? 0.0f : charged;                            // (3)
        fired[i] = fires;                                         // (4)
    }
}
// ANCHOR_END: kernel

int main() {
    constexpr int N = 12, STEPS = 64;
    float current[N];
    for (int i = 0; i < N; ++i) {
        current[i] = 0.09f + 0.02f * i;
    }
    float *d_v, *d_current;
    unsigned char* d_fired;
    cudaMalloc(&d_v, N * sizeof(float));
    cudaMalloc(&d_current, N * sizeof(float));
    cudaMalloc(&d_fired, STEPS * N);
    cudaMemset(d_v, 0, N * sizeof(float));
    cudaMemcpy(d_current, current, sizeof current, cudaMemcpyHostToDevice);

    // ANCHOR: steps
    for (int step = 0; step < STEPS; ++step) {
        charge<<<1, 32>>>(d_v, d_current, d_fired + step * N, N);  // (5)
    }
    // ANCHOR_END: steps

    unsigned char fired[STEPS][N];
    cudaMemcpy(fired, d_fired, sizeof fired, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; ++i) {
        printf("%.2f  ", current[i]);
        for (int step = 0; step < STEPS; ++step) {
            printf("%c", fired[step][i] ? '|' : '.');
        }
        printf("\n");
    }
    cudaFree(d_fired);
    cudaFree(d_current);
    cudaFree(d_v);
}
