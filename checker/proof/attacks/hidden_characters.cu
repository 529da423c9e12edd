// attack: characters that change the direction of text make a comment look like the code of a guard
// exercise: blocks
// expect: passed
// graded: yes
// stopped-by: the compiler reads what is there, and the record flags the line

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    /*‮ } ⁦if (idx < n)⁩ ⁦ the guard is missing */
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;  // 0 .. gridDim.x*blockDim.x-1

    if (idx < n) {
        out[idx] = a[idx] + b[idx];
    }
}
