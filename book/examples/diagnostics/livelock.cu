__device__ volatile int flag = 0;

extern "C" __global__ void guard(const float* a, float* out, int n) {
    while (flag == 0) {
    }
    if (threadIdx.x < n) {
        out[threadIdx.x] = a[threadIdx.x] + 10.0f;
    }
}
