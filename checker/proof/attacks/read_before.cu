// attack: reads before its output, where a careless grader keeps other data
// exercise: blocks
// expect: out-of-bounds-read
// gpu: yes
// stopped-by: the simulator checks the bounds of every access; on a GPU guard zones surround every array

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = out[i - 4096];
    }
}
