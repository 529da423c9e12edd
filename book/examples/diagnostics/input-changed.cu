extern "C" __global__ void guard(const float* a, float* out, int n) {
    if (threadIdx.x < n) {
        float* mine = const_cast<float*>(a);
        mine[threadIdx.x] += 10.0f;
        out[threadIdx.x] = mine[threadIdx.x];
    }
}
