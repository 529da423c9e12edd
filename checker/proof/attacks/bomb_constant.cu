// attack: an initialised array of four gigabytes makes the compiler run out of memory and abort, together with its process
// exercise: blocks
// expect: compiler-stopped
// graded: yes
// stopped-by: the compiler runs in its own process, with limits on memory and file sizes

__constant__ int bomb[1 << 30] = {1};

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = a[i] + b[i];
    }
}
