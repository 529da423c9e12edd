// expect: gate-missed
// Needs neither tile nor barrier, because every thread loads all elements of its block, so each
// is loaded 256 times.

constexpr int BLOCK = 256;  // threads of a block

extern "C" __global__ void barrier_divergence(const float* in, float* out, int n) {
    const int tid = threadIdx.x;               // index in the block, 0 .. BLOCK-1
    const int idx = blockIdx.x * BLOCK + tid;  // index in the array, 0 .. at least n-1

    float total = 0.0f;
    for (int i = blockIdx.x * BLOCK; i < min(n, int(blockIdx.x + 1) * BLOCK); ++i) {
        total += in[i];
    }
    if (idx < n) {
        out[idx] = in[idx] / total;
    }
}
