// expect: uncoalesced
// Stores seven floats for each neuron in one array, which is a struct under another name.

#include <vector>

constexpr int BLOCK = 128;

// Simulates a neuron for one millisecond (Izhikevich, 2003), v in two halves. True if it fires.
__device__ bool step(float& v, float& u, float a, float b, float c, float d, float current) {
    v += 0.5f * (0.04f * v * v + 5.0f * v + 140.0f - u + current);
    v += 0.5f * (0.04f * v * v + 5.0f * v + 140.0f - u + current);
    u += a * (b * fminf(v, 30.0f) - u);  // a spike's peak is 30 mV

    const bool fires = v >= 30.0f;
    v = fires ? c : v;
    u = fires ? u + d : u;
    return fires;
}

__global__ void advance(float* neurons, unsigned char* fired, int n) {
    const int idx = blockIdx.x * BLOCK + threadIdx.x;
    if (idx < n) {
        float* my = neurons + 7 * idx;
        fired[idx] = step(my[0], my[1], my[2], my[3], my[4], my[5], my[6]) ? 1 : 0;
    }
}

extern "C" void izhikevich(float* v, float* u, const float* a, const float* b, const float* c,
                           const float* d, const float* current, unsigned char* spikes, int n,
                           int steps) {
    std::vector<float> neurons(7 * n);
    for (int i = 0; i < n; ++i) {
        const float fields[7] = {v[i], u[i], a[i], b[i], c[i], d[i], current[i]};
        for (int field = 0; field < 7; ++field) {
            neurons[7 * i + field] = fields[field];
        }
    }

    float* d_neurons = nullptr;
    unsigned char* d_spikes = nullptr;
    cudaMalloc(&d_neurons, 7 * n * sizeof(float));
    cudaMalloc(&d_spikes, size_t(steps) * n);
    cudaMemcpy(d_neurons, neurons.data(), 7 * n * sizeof(float), cudaMemcpyHostToDevice);

    for (int i = 0; i < steps; ++i) {
        advance<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_neurons, d_spikes + size_t(i) * n, n);
    }

    cudaMemcpy(neurons.data(), d_neurons, 7 * n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(spikes, d_spikes, size_t(steps) * n, cudaMemcpyDeviceToHost);
    cudaFree(d_spikes);
    cudaFree(d_neurons);

    for (int i = 0; i < n; ++i) {
        v[i] = neurons[7 * i];
        u[i] = neurons[7 * i + 1];
    }
}
