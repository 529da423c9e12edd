// attack: writes to an address that it made up, which loses the context
// exercise: blocks
// expect: invalid-address
// gpu: yes
// stopped-by: the simulator reports it; on a GPU the process is replaced

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = a[i] + b[i];
    }
    if (i == 0) {
        *reinterpret_cast<volatile float*>(0x7ffffffff000ull) = 1;
    }
}
