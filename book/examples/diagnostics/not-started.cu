extern "C" __global__ void guard(const float* a, float* out, int n) {
    const int idx = threadIdx.x;
    // TODO 1: which threads have an element?
}
