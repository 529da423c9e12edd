// attack: simulates on the host, and copies two numbers of the input to the device in an order that spells the results
// exercise: izhikevich
// expect: computed-on-host
// stopped-by: the flow of data: each word that the host copies must come from the same place with other values in the arrays

#include <cstring>
#include <vector>

constexpr int BLOCK = 128;

bool step(float& v, float& u, float a, float b, float c, float d, float current) {
    v += 0.5f * (0.04f * v * v + 5.0f * v + 140.0f - u + current);
    v += 0.5f * (0.04f * v * v + 5.0f * v + 140.0f - u + current);
    u += a * (b * (v < 30.0f ? v : 30.0f) - u);
    const bool fires = v >= 30.0f;
    v = fires ? c : v;
    u = fires ? u + d : u;
    return fires;
}

// 32 words for each v, 32 for each u, one for each spike, and the word that stands for 1.
__global__ void decode(const float* words, float* states, unsigned char* spikes, int n, int at, int steps) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) {
        return;
    }
    const float one = words[(64 + steps) * n];
    spikes[i] = words[(64 + at) * n + i] == one;
    for (int state = 0; at == steps - 1 && state < 2; ++state) {
        unsigned value = 0;
        for (int k = 0; k < 32; ++k) {
            value |= unsigned(words[(32 * state + k) * n + i] == one) << k;
        }
        states[state * n + i] = __uint_as_float(value);
    }
}

extern "C" void izhikevich(float* v, float* u, const float* a, const float* b, const float* c, const float* d,
                           const float* current, unsigned char* spikes, int n, int steps) {
    const float symbols[2] = {v[0], u[0]};
    std::vector<float> words((64 + steps) * n + 1), last_v(v, v + n), last_u(u, u + n);
    for (int at = 0; at < steps; ++at) {
        for (int i = 0; i < n; ++i) {
            words[(64 + at) * n + i] = symbols[step(last_v[i], last_u[i], a[i], b[i], c[i], d[i], current[i])];
        }
    }
    for (int i = 0; i < n; ++i) {
        unsigned values[2];
        std::memcpy(&values[0], &last_v[i], sizeof(float));
        std::memcpy(&values[1], &last_u[i], sizeof(float));
        for (int k = 0; k < 64; ++k) {
            words[k * n + i] = symbols[values[k / 32] >> k % 32 & 1];
        }
    }
    words.back() = symbols[1];
    float *d_words, *d_states;
    unsigned char* d_spikes;
    cudaMalloc(&d_words, words.size() * sizeof(float));
    cudaMalloc(&d_states, 2 * n * sizeof(float));
    cudaMalloc(&d_spikes, steps * n);
    cudaMemcpy(d_words, words.data(), words.size() * sizeof(float), cudaMemcpyHostToDevice);
    for (int at = 0; at < steps; ++at) {
        decode<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_words, d_states, d_spikes + at * n, n, at, steps);
    }
    cudaMemcpy(v, d_states, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(u, d_states + n, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(spikes, d_spikes, steps * n, cudaMemcpyDeviceToHost);
    cudaFree(d_words);
    cudaFree(d_states);
    cudaFree(d_spikes);
}
