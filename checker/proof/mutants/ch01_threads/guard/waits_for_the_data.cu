// expect: never-finishes
// A while where an if was meant: the threads that pass the guard never leave it.

extern "C" __global__ void guard(const float* a, float* out, int n) {
    const int idx = threadIdx.x;

    while (idx < n) {
        out[idx] = a[idx] + 10.0f;
        __threadfence();
    }
}
