// expect: wrong-signature
// Declares one size for both dimensions, but a matrix needs two.

extern "C" __global__ void matrix_add_2d(const float* a, const float* b, float* out, int n) {
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int col = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < n && col < n) {
        const int idx = row * n + col;
        out[idx] = a[idx] + b[idx];
    }
}
