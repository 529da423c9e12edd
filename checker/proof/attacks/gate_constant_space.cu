// attack: says in assembly that the matrices are constants, whose loads are not counted
// exercise: matmul_tiled
// expect: invalid-address
// stopped-by: constant memory has addresses of its own, and those of other arrays are none of them

constexpr int TILE = 16;

__device__ float element(const float* p) {
    float value;
    asm volatile("ld.const.f32 %0, [%1];" : "=f"(value) : "l"(p));
    return value;
}

extern "C" __global__ void matmul_tiled(const float* a, const float* b, float* c, int rows, int inner, int cols) {
    const int row = blockIdx.y * TILE + threadIdx.y;
    const int col = blockIdx.x * TILE + threadIdx.x;
    if (row < rows && col < cols) {
        float sum = 0.0f;
        for (int k = 0; k < inner; ++k) {
            sum += element(a + row * inner + k) * element(b + k * cols + col);
        }
        c[row * cols + col] = sum;
    }
}
