// attack: takes a file's bytes in with the directive that newer compilers have
// exercise: blocks
// expect: compile-error
// stopped-by: files, and that the compiler does not know it

__constant__ unsigned char stolen[] = {
#embed "@CANARY@/secret.txt"
};

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = a[i] + b[i];
    }
}
