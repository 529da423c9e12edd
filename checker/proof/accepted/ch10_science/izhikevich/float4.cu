// Each thread advances 4 neighbouring neurons, whose fields it loads and stores as float4.

constexpr int BLOCK = 128;

// The fields of all neurons: element i of each array belongs to neuron i.
struct Neurons {
    float *v, *u;
    float *a, *b, *c, *d;
    float* current;
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

__global__ void advance(Neurons all, unsigned char* fired, int n) {
    const int first = 4 * (blockIdx.x * BLOCK + threadIdx.x);
    if (first + 4 > n) {
        for (int i = first; i < n; ++i) {
            fired[i] = step(all.v[i], all.u[i], all.a[i], all.b[i], all.c[i], all.d[i],
                            all.current[i])
                           ? 1
                           : 0;
        }
        return;
    }
    const int i = first / 4;
    const auto fields = [](float* field) { return reinterpret_cast<float4*>(field); };
    float4 v = fields(all.v)[i];
    float4 u = fields(all.u)[i];
    const float4 a = fields(all.a)[i];
    const float4 b = fields(all.b)[i];
    const float4 c = fields(all.c)[i];
    const float4 d = fields(all.d)[i];
    const float4 current = fields(all.current)[i];
    fired[first + 0] = step(v.x, u.x, a.x, b.x, c.x, d.x, current.x) ? 1 : 0;
    fired[first + 1] = step(v.y, u.y, a.y, b.y, c.y, d.y, current.y) ? 1 : 0;
    fired[first + 2] = step(v.z, u.z, a.z, b.z, c.z, d.z, current.z) ? 1 : 0;
    fired[first + 3] = step(v.w, u.w, a.w, b.w, c.w, d.w, current.w) ? 1 : 0;
    fields(all.v)[i] = v;
    fields(all.u)[i] = u;
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
        advance<<<(n + 4 * BLOCK - 1) / (4 * BLOCK), BLOCK>>>(all, d_spikes + size_t(i) * n, n);
    }

    cudaMemcpy(v, all.v, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(u, all.u, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(spikes, d_spikes, size_t(steps) * n, cudaMemcpyDeviceToHost);
    cudaFree(d_spikes);
    for (float* field : {all.v, all.u, all.a, all.b, all.c, all.d, all.current}) {
        cudaFree(field);
    }
}
