// overlap | chapter 8 | "Three things at once"
//
// Goal    compute out[i] = x[i] after `steps` steps of v = a * v + b. For at least half of the
//         time, keep at least two of the three engines (copies in, kernels, copies out) busy.
//
// x       [n]  f32, in the host's memory, read only
// a, b    numbers
// out     [n]  f32, in the host's memory, every element must be written
// n       count
// steps   number of steps for each element
//
// This program is right but slow. It copies all data in, then computes, and then copies all results
// out, so at least two of the simulated device's three engines are idle at any time.
//
// Run     cargo checker check overlap          Stuck?  cargo checker hint overlap
//         cargo checker profile overlap        shows what each engine does, and when

constexpr int BLOCK = 256;

__global__ void chain(float* v, float a, float b, int n, int steps) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        float mine = v[idx];
        for (int step = 0; step < steps; ++step) {
            mine = a * mine + b;
        }
        v[idx] = mine;
    }
}

extern "C" void overlap(const float* x, float a, float b, float* out, int n, int steps) {
    const size_t bytes = n * sizeof(float);
    float* d_v = nullptr;
    cudaMalloc(&d_v, bytes);

    cudaMemcpy(d_v, x, bytes, cudaMemcpyHostToDevice);
    chain<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_v, a, b, n, steps);
    cudaMemcpy(out, d_v, bytes, cudaMemcpyDeviceToHost);

    cudaFree(d_v);
}
