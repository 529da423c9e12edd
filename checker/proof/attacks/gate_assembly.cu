// attack: loads in assembly, volatile and without coherence, in case only the compiler's own loads are counted
// exercise: matmul_tiled
// expect: gate-missed
// stopped-by: gates count what the kernel executes, in assembly, too

constexpr int TILE = 16;

__device__ float volatile_element(const float* p) {
    float value;
    asm volatile("ld.volatile.global.f32 %0, [%1];" : "=f"(value) : "l"(p));
    return value;
}

__device__ float cached_element(const float* p) {
    float value;
    asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(value) : "l"(p));
    return value;
}

extern "C" __global__ void matmul_tiled(const float* a, const float* b, float* c, int rows, int inner, int cols) {
    const int row = blockIdx.y * TILE + threadIdx.y;
    const int col = blockIdx.x * TILE + threadIdx.x;
    if (row < rows && col < cols) {
        float sum = 0.0f;
        for (int k = 0; k < inner; ++k) {
            sum += volatile_element(a + row * inner + k) * cached_element(b + k * cols + col);
        }
        c[row * cols + col] = sum;
    }
}
