// attack: a failed assertion prints a line of the kernel's choice and loses the context
// exercise: blocks
// expect: trap
// gpu: yes
// stopped-by: the simulator reports it; on a GPU the process is replaced

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(i < 0 && "\033[2J::error::passed");
    out[i] = a[i] + b[i];
}
