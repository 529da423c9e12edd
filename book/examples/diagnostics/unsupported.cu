extern "C" __global__ void guard(const float* a, float* out, int n) {
    unsigned int wide = 0;
    asm volatile("mov.u32 %0, %%clusterid.x;" : "=r"(wide));
    if (threadIdx.x < n) {
        out[threadIdx.x] = a[threadIdx.x] + 10.0f + wide;
    }
}
