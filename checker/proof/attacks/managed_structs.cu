// attack: keeps the array of structs in managed memory, and copies arrays that no kernel uses
// exercise: structs_soa
// expect: gate-missed
// stopped-by: gates: the bytes of managed memory that the host has changed before the device uses them count as copied bytes

#include <cstring>
__global__ void turn(float4* points, float c, float s, float lift, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;     // half a struct of 8 floats
    const int half = idx % 2;
    const unsigned all = 0xffffffffu;
    // each thread moves 2 halves: structs of this warp, 64 float4 in a row
    const int warp = idx / 32, lane = idx % 32;
    const int first = warp * 64;
    for (int k = 0; k < 2; ++k) {
        const int i = first + k * 32 + lane;
        if (i < 2 * n) {
            float4 p = points[i];
            if (half == 0) p = make_float4(c * p.x - s * p.y, s * p.x + c * p.y, p.z + lift, p.w);
            points[i] = p;
        }
    }
}
extern "C" void structs_soa(const float* points, float c, float s, float lift, float* out, int n, int steps) {
    const size_t bytes = size_t(n) * 32, three = size_t(n) * 12;
    float* m; cudaMallocManaged(&m, bytes);
    float* junk; cudaMalloc(&junk, three);
    float* h; cudaMallocHost(&h, three);
    std::memset(h, 0, three);
    std::memcpy(m, points, bytes);                               // everything to the device
    cudaMemcpy(junk, h, three, cudaMemcpyHostToDevice);
    const int threads = (n + 31) / 32 * 32;
    for (int step = 0; step < steps; ++step) turn<<<(threads + 255) / 256, 256>>>(reinterpret_cast<float4*>(m), c, s, lift, n);
    cudaDeviceSynchronize();
    cudaMemcpy(h, junk, three, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i) for (int k = 0; k < 3; ++k) out[3 * i + k] = m[8 * i + k];
    cudaFreeHost(h); cudaFree(junk); cudaFree(m);
}
