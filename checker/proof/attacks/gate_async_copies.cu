// attack: copies each element to shared memory asynchronously whenever it needs it, so that no load is counted
// exercise: matmul_tiled
// expect: gate-missed
// stopped-by: gates count what moves data: an asynchronous copy is a load

constexpr int TILE = 16;

extern "C" __global__ void matmul_tiled(const float* a, const float* b, float* c, int rows, int inner, int cols) {
    __shared__ float mine[2][TILE * TILE];
    const int row = blockIdx.y * TILE + threadIdx.y;
    const int col = blockIdx.x * TILE + threadIdx.x;
    const int me = threadIdx.y * TILE + threadIdx.x;
    const unsigned to_a = static_cast<unsigned>(__cvta_generic_to_shared(&mine[0][me]));
    const unsigned to_b = static_cast<unsigned>(__cvta_generic_to_shared(&mine[1][me]));
    if (row < rows && col < cols) {
        float sum = 0.0f;
        for (int k = 0; k < inner; ++k) {
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to_a), "l"(a + row * inner + k) : "memory");
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to_b), "l"(b + k * cols + col) : "memory");
            asm volatile("cp.async.wait_all;" ::: "memory");
            sum += mine[0][me] * mine[1][me];
        }
        c[row * cols + col] = sum;
    }
}
