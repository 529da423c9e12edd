// attack: includes the bytes of a file with the directive of newer compilers
// exercise: blocks
// expect: compile-error
// stopped-by: files; besides, the compiler does not know the directive

__constant__ unsigned char stolen[] = {
#embed "@CANARY@/secret.txt"
};

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = a[i] + b[i];
    }
}
