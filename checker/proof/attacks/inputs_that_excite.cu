// attack: negative currents count as positive ones
// exercise: izhikevich
// expect: wrong-values
// stopped-by: inputs of this kind in one of the cases

constexpr int BLOCK = 128;

// The fields of all neurons: element i of each array belongs to neuron i.
struct Neurons {
    float *v, *u;
    float *a, *b, *c, *d;
    float* current;
};

// Simulates a neuron for one millisecond (Izhikevich, 2003). Returns whether the neuron fires.
__device__ bool step(float& v, float& u, float a, float b, float c, float d, float current) {
    v += 0.5f * (0.04f * v * v + 5.0f * v + 140.0f - u + fabsf(current));
    v += 0.5f * (0.04f * v * v + 5.0f * v + 140.0f - u + fabsf(current));
    u += a * (b * fminf(v, 30.0f) - u);  // a spike's peak is 30 mV

    const bool fires = v >= 30.0f;
    v = fires ? c : v;
    u = fires ? u + d : u;
    return fires;
}

__global__ void advance(Neurons all, unsigned char* fired, int n) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        float v = all.v[i];
        float u = all.u[i];
        fired[i] = step(v, u, all.a[i], all.b[i], all.c[i], all.d[i], all.current[i]) ? 1 : 0;
        all.v[i] = v;
        all.u[i] = u;
    }
}

// Allocates a field on the device, and copies the host's values to it.
float* to_device(const float* field, int n) {
    float* copy = nullptr;
    cudaMalloc(&copy, n * sizeof(float));
    cudaMemcpy(copy, field, n * sizeof(float), cudaMemcpyHostToDevice);
    return copy;
}

extern "C" void izhikevich(float* v, float* u, const float* a, const float* b, const float* c,
                           const float* d, const float* current, unsigned char* spikes, int n,
                           int steps) {
    const Neurons all = {
        to_device(v, n),
        to_device(u, n),
        to_device(a, n),
        to_device(b, n),
        to_device(c, n),
        to_device(d, n),
        to_device(current, n),
    };
    unsigned char* d_spikes = nullptr;
    cudaMalloc(&d_spikes, size_t(steps) * n);

    for (int i = 0; i < steps; ++i) {
        advance<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(all, d_spikes + size_t(i) * n, n);
    }

    cudaMemcpy(v, all.v, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(u, all.u, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(spikes, d_spikes, size_t(steps) * n, cudaMemcpyDeviceToHost);
    cudaFree(d_spikes);
    for (float* field : {all.v, all.u, all.a, all.b, all.c, all.d, all.current}) {
        cudaFree(field);
    }
}
