// attack: asks whether a file exists and shows the answer by compiling or not, one bit for each submission
// exercise: blocks
// expect: passed
// stopped-by: files: it cannot be opened

#if __has_include("@CANARY@/secret.txt") || __has_include("/etc/shadow") || __has_include("@COURSE@/solutions/ch01_threads/blocks.cu")
#error found
#endif

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = a[i] + b[i];
    }
}
