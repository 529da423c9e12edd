// expect: wrong-signature
// The size is an int; as a float its bits mean another number.

extern "C" __global__ void guard(const float* a, float* out, float n) {
    const int idx = threadIdx.x;

    if (idx < n) {
        out[idx] = a[idx] + 10.0f;
    }
}
