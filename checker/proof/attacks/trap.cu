// attack: traps, so that the device's context is lost for every later launch of the process
// exercise: blocks
// expect: trap
// gpu: yes
// stopped-by: the simulator reports it; on a GPU the process is replaced

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) {
        asm volatile("trap;");
    }
    if (i < n) {
        out[i] = a[i] + b[i];
    }
}
