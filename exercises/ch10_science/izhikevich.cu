// izhikevich | chapter 10 | "A thousand neurons"
//
// Goal    simulate neurons that charge up and fire, for `steps` milliseconds, with one launch for
//         each millisecond, at most 4.5 sectors for each request, and at most three copies back.
//
// v, u    [n]  f32, in the host's memory, updated: the potential and the recovery of each neuron
// a, b, c, d, current  [n]  f32, in the host's memory, read only: the type of each neuron, and
//              the current that flows into it
// spikes  [steps][n]  bytes, in the host's memory: 1 where the neuron fires in that step, else 0
// n       count  neurons
// steps   count  milliseconds; in a network, each step needs all spikes of the earlier steps
//
// This program is right but slow. Look at the addresses that the 32 threads of a warp read when
// each thread reads its neuron's v.
//
// Run     cargo checker check izhikevich       Stuck?  cargo checker hint izhikevich

#include <vector>

constexpr int BLOCK = 128;

struct Neuron {
    float v, u;
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

__global__ void advance(Neuron* neurons, unsigned char* fired, int n) {
    const int idx = blockIdx.x * BLOCK + threadIdx.x;
    if (idx < n) {
        Neuron& my = neurons[idx];
        fired[idx] = step(my.v, my.u, my.a, my.b, my.c, my.d, my.current) ? 1 : 0;
    }
}

extern "C" void izhikevich(float* v, float* u, const float* a, const float* b, const float* c,
                           const float* d, const float* current, unsigned char* spikes, int n,
                           int steps) {
    std::vector<Neuron> neurons(n);
    for (int i = 0; i < n; ++i) {
        neurons[i] = Neuron{v[i], u[i], a[i], b[i], c[i], d[i], current[i]};
    }

    Neuron* d_neurons = nullptr;
    unsigned char* d_spikes = nullptr;
    cudaMalloc(&d_neurons, n * sizeof(Neuron));
    cudaMalloc(&d_spikes, size_t(steps) * n);
    cudaMemcpy(d_neurons, neurons.data(), n * sizeof(Neuron), cudaMemcpyHostToDevice);

    for (int i = 0; i < steps; ++i) {
        advance<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_neurons, d_spikes + size_t(i) * n, n);
    }

    cudaMemcpy(neurons.data(), d_neurons, n * sizeof(Neuron), cudaMemcpyDeviceToHost);
    cudaMemcpy(spikes, d_spikes, size_t(steps) * n, cudaMemcpyDeviceToHost);
    cudaFree(d_spikes);
    cudaFree(d_neurons);

    for (int i = 0; i < n; ++i) {
        v[i] = neurons[i].v;
        u[i] = neurons[i].u;
    }
}
