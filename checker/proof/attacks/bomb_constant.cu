// attack: an initialised array of four gigabytes: the compiler runs out of memory and aborts with the process that it is in
// exercise: blocks
// expect: compiler-stopped
// graded: yes
// stopped-by: the compiler is a process of its own: memory and file sizes

__constant__ int bomb[1 << 30] = {1};

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = a[i] + b[i];
    }
}
