// attack: includes a file by inline PTX, which the kernel's compiler passes on unread
// exercise: blocks
// expect: compile-error
// stopped-by: the simulator's parser reads inline PTX and has no such directive

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile(".incbin \"@CANARY@/secret.txt\";");
    if (i < n) {
        out[i] = a[i] + b[i];
    }
}
