// attack: keeps the slow array of structures, and loads a packed array of its own to lower the average
// exercise: izhikevich
// expect: uncoalesced or computed-on-host
// stopped-by: wasted sectors are divided by the requests that the exercise needs, and not by all requests

#include <vector>

struct Neuron {
    float v, u, a, b, c, d, current;
};

__global__ void advance(Neuron* neurons, unsigned char* fired, const volatile float* pad, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    for (int k = 0; k < 800; ++k) {
        (void)pad[i];
    }
    Neuron m = neurons[i];
    m.v += 0.5f * (0.04f * m.v * m.v + 5.0f * m.v + 140.0f - m.u + m.current);
    m.v += 0.5f * (0.04f * m.v * m.v + 5.0f * m.v + 140.0f - m.u + m.current);
    m.u += m.a * (m.b * fminf(m.v, 30.0f) - m.u);
    const bool fires = m.v >= 30.0f;
    neurons[i].v = fires ? m.c : m.v;
    neurons[i].u = fires ? m.u + m.d : m.u;
    fired[i] = fires;
}

extern "C" void izhikevich(float* v, float* u, const float* a, const float* b, const float* c, const float* d,
                           const float* current, unsigned char* spikes, int n, int steps) {
    std::vector<Neuron> all(n);
    for (int i = 0; i < n; ++i) {
        all[i] = Neuron{v[i], u[i], a[i], b[i], c[i], d[i], current[i]};
    }
    Neuron* d_all = nullptr;
    unsigned char* d_spikes = nullptr;
    float* pad = nullptr;
    cudaMalloc(&d_all, n * sizeof(Neuron));
    cudaMalloc(&d_spikes, size_t(steps) * n);
    cudaMalloc(&pad, n * sizeof(float));
    cudaMemset(pad, 0, n * sizeof(float));
    cudaMemcpy(d_all, all.data(), n * sizeof(Neuron), cudaMemcpyHostToDevice);
    for (int i = 0; i < steps; ++i) {
        advance<<<(n + 127) / 128, 128>>>(d_all, d_spikes + size_t(i) * n, pad, n);
    }
    cudaMemcpy(all.data(), d_all, n * sizeof(Neuron), cudaMemcpyDeviceToHost);
    cudaMemcpy(spikes, d_spikes, size_t(steps) * n, cudaMemcpyDeviceToHost);
    cudaFree(pad);
    cudaFree(d_spikes);
    cudaFree(d_all);
    for (int i = 0; i < n; ++i) {
        v[i] = all[i].v;
        u[i] = all[i].u;
    }
}
