// attack: allocates the whole device heap
// exercise: blocks
// expect: passed
// stopped-by: the device heap has the size that CUDA gives it

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) {
        for (int k = 0; k < 100000; ++k) {
            void* p = malloc(1 << 20);
            if (p == nullptr) {
                break;
            }
        }
    }
    if (i < n) {
        out[i] = a[i] + b[i];
    }
}
