// attack: hides arrays of a fixed size in a function, and finds out their addresses with a kernel
// exercise: roundtrip
// expect: gate-missed
// stopped-by: the gate of every program: its variables in the device's memory have at most 64 KiB

__device__ float* array(int which) {
    static float values[2][300000];
    return values[which];
}

__device__ float* found[2];

__global__ void find() {
    found[threadIdx.x] = array(threadIdx.x);
}

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    float* arrays[2];
    find<<<1, 2>>>();
    cudaMemcpyFromSymbol(arrays, found, sizeof(arrays));
    cudaMemcpy(arrays[0], a, n * sizeof(float), cudaMemcpyHostToDevice);
    sine<<<(n + 255) / 256, 256>>>(arrays[0], arrays[1], n);
    cudaMemcpy(out, arrays[1], n * sizeof(float), cudaMemcpyDeviceToHost);
}
