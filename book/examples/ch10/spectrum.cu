// Finds the frequencies in a signal. The kernel adds up a sum for each.
#include <cmath>
#include <cstdio>

// ANCHOR: kernel
__global__ void spectrum(const float* signal, float* power, int n) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;  // my frequency
    if (k < n / 2) {
        float re = 0.0f;
        float im = 0.0f;
        for (int j = 0; j < n; ++j) {
            float sine, cosine;
            sincospif(-2.0f * (k * j % n) / n, &sine, &cosine);   // (1)
            re += signal[j] * cosine;                             // (2)
            im += signal[j] * sine;
        }
        power[k] = re * re + im * im;                             // (3)
    }
}
// ANCHOR_END: kernel

int main() {
    constexpr int N = 64;
    float signal[N];
    for (int j = 0; j < N; ++j) {  // 5 periods, and a weaker wave with 12
        signal[j] = std::sin(2 * 3.14159265f * 5 * j / N) +
                    0.7f * std::cos(2 * 3.14159265f * 12 * j / N);
    }
    float *d_signal, *d_power;
    cudaMalloc(&d_signal, sizeof signal);
    cudaMalloc(&d_power, N / 2 * sizeof(float));
    cudaMemcpy(d_signal, signal, sizeof signal, cudaMemcpyHostToDevice);
    spectrum<<<1, N / 2>>>(d_signal, d_power, N);
    float power[N / 2];
    cudaMemcpy(power, d_power, sizeof power, cudaMemcpyDeviceToHost);
    for (int k = 0; k < 16; ++k) {
        printf("%3d ", k);
        for (int bar = 0; bar < int(power[k] / 20.0f + 0.5f); ++bar) {
            printf("#");
        }
        printf("\n");
    }
    cudaFree(d_power);
    cudaFree(d_signal);
}
