extern "C" __global__ void guard(const float* a, float* out, int n) {
    asm volatile("bar.sync 1, %0;" :: "r"(n));  // a barrier for 1000 threads
    if (threadIdx.x < n) {
        out[threadIdx.x] = a[threadIdx.x] + 10.0f;
    }
}
