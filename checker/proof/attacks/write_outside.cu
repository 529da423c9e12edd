// attack: writes beyond its output, where a careless grader keeps other data
// exercise: blocks
// expect: out-of-bounds-write
// gpu: yes
// stopped-by: the simulator checks the bounds of every access; on a GPU guard zones surround every array

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = a[i] + b[i];
        out[n + i] = 1;
    }
}
