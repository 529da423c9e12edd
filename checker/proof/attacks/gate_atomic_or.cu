// attack: reads both matrices by atomic operations that change nothing, so that no load is counted
// exercise: matmul_tiled
// expect: gate-missed
// stopped-by: gates count what moves data: an atomic operation whose result is used is a load

constexpr int TILE = 16;

__device__ float element(const float* p) {
    return __int_as_float(atomicOr(reinterpret_cast<int*>(const_cast<float*>(p)), 0));
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
