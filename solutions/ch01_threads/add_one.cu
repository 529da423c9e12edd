// The number of a thread is the index of its element, so each thread does one load, one addition
// and one store. There's no loop, because the launch starts one thread for each element and all
// threads run these lines.

extern "C" __global__ void add_one(const float* a, float* out) {
    const int i = threadIdx.x;  // 0 .. n-1

    out[i] = a[i] + 1.0f;
}
