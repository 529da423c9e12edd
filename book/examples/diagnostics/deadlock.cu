extern "C" __global__ void guard(const float* a, float* out, int n) {
    if (threadIdx.x < 512) {
        asm volatile("bar.sync 1, 1024;");
    } else {
        asm volatile("bar.sync 2, 1024;");
    }
    if (threadIdx.x < n) {
        out[threadIdx.x] = a[threadIdx.x] + 10.0f;
    }
}
