// attack: keeps structs, and lets the lanes of a warp load from them one after the other, with relaxed loads
// exercise: izhikevich
// expect: uncoalesced
// stopped-by: sectors count for the bytes that threads access, and not for each request

#include <vector>

constexpr int BLOCK = 128;

struct Neuron {
    float a, b, c, d;
    float current;
};

// Simulates a neuron for one millisecond (Izhikevich, 2003). Returns whether the neuron fires.
__device__ bool step(float& v, float& u, float a, float b, float c, float d, float current) {
    v += 0.5f * (0.04f * v * v + 5.0f * v + 140.0f - u + current);
    v += 0.5f * (0.04f * v * v + 5.0f * v + 140.0f - u + current);
    u += a * (b * fminf(v, 30.0f) - u);  // a spike's peak is 30 mV

    const bool fires = v >= 30.0f;
    v = fires ? c : v;
    u = fires ? u + d : u;
    return fires;
}

__device__ float load(const float* at) {
    float value;
    asm volatile("ld.relaxed.gpu.f32 %0, [%1];" : "=f"(value) : "l"(at));
    return value;
}

__global__ void advance(float* v, float* u, const Neuron* neurons, unsigned char* fired, int n) {
    const int idx = blockIdx.x * BLOCK + threadIdx.x;
    if (idx < n) {
        const Neuron* at = &neurons[idx];
        Neuron my;
        for (int lane = 0; lane < 32; ++lane) {
            if (lane == threadIdx.x % 32) {
                my.a = load(&at->a);
                my.b = load(&at->b);
                my.c = load(&at->c);
                my.d = load(&at->d);
                my.current = load(&at->current);
            }
        }
        fired[idx] = step(v[idx], u[idx], my.a, my.b, my.c, my.d, my.current) ? 1 : 0;
    }
}

extern "C" void izhikevich(float* v, float* u, const float* a, const float* b, const float* c,
                           const float* d, const float* current, unsigned char* spikes, int n,
                           int steps) {
    std::vector<Neuron> neurons(n);
    for (int i = 0; i < n; ++i) {
        neurons[i] = Neuron{a[i], b[i], c[i], d[i], current[i]};
    }

    float *d_v = nullptr, *d_u = nullptr;
    Neuron* d_neurons = nullptr;
    unsigned char* d_spikes = nullptr;
    cudaMalloc(&d_v, n * sizeof(float));
    cudaMalloc(&d_u, n * sizeof(float));
    cudaMemcpy(d_v, v, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_u, u, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMalloc(&d_neurons, n * sizeof(Neuron));
    cudaMalloc(&d_spikes, size_t(steps) * n);
    cudaMemcpy(d_neurons, neurons.data(), n * sizeof(Neuron), cudaMemcpyHostToDevice);

    for (int i = 0; i < steps; ++i) {
        advance<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_v, d_u, d_neurons, d_spikes + size_t(i) * n, n);
    }

    cudaMemcpy(v, d_v, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(u, d_u, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(spikes, d_spikes, size_t(steps) * n, cudaMemcpyDeviceToHost);
    cudaFree(d_spikes);
    cudaFree(d_neurons);
    cudaFree(d_u);
    cudaFree(d_v);
}
