// expect: not-started
// A line was added, the TODOs are still open, and nothing is written.

extern "C" __global__ void double_it(const float* a, float* out, int cols) {
    // TODO 1: which column and which row are mine?
    const int col = threadIdx.x;

    // TODO 2: how many elements lie before mine in memory?

    // TODO 3: what belongs in out[idx]?
}
