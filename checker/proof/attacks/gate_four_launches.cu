// attack: four launches simulate 25 steps each, and 96 more only double and halve one number
// exercise: izhikevich
// expect: gate-missed
// stopped-by: launches count only if they store at least an eighth of what another one stores

// A struct of arrays replaces the array of structs, so the values of a field are adjacent in
// memory, and a warp loads one field of 32 neurons at a time. For each neuron, a step takes seven
// loads and three stores. Each request takes 4 sectors (or 1 for the bytes of `fired`) instead of
// 28. The reset has no branch, because every lane computes both values, and the condition only
// chooses between them. The formula is the same as before.

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

__global__ void many(Neurons all, unsigned char* fired, int n, int k) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        float v = all.v[i], u = all.u[i];
        const float a = all.a[i], b = all.b[i], c = all.c[i], d = all.d[i], cur = all.current[i];
        for (int j = 0; j < k; ++j) fired[size_t(j) * n + i] = step(v, u, a, b, c, d, cur) ? 1 : 0;
        all.v[i] = v;
        all.u[i] = u;
    }
}
__global__ void trivial(float* v, float by) { v[threadIdx.x] *= by; }
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

    // a launch computes up to 25 steps; the other launches of the 25 double or halve v[0]
    for (int i = 0; i < steps; i += 25) {
        const int k = steps - i < 25 ? steps - i : 25;
        many<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(all, d_spikes + size_t(i) * n, n, k);
        int rest = k - 1;
        if (rest % 2) { trivial<<<1, 1>>>(all.v, 2.0f); trivial<<<1, 1>>>(all.v, 0.25f); trivial<<<1, 1>>>(all.v, 2.0f); rest -= 3; }
        for (; rest > 0; rest -= 2) { trivial<<<1, 1>>>(all.v, 2.0f); trivial<<<1, 1>>>(all.v, 0.5f); }
    }

    cudaMemcpy(v, all.v, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(u, all.u, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(spikes, d_spikes, size_t(steps) * n, cudaMemcpyDeviceToHost);
    cudaFree(d_spikes);
    for (float* field : {all.v, all.u, all.a, all.b, all.c, all.d, all.current}) {
        cudaFree(field);
    }
}
