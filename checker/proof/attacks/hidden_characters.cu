// attack: characters that change the direction of text make a comment look like the code of a guard
// exercise: guard
// expect: passed
// graded: yes
// stopped-by: the compiler reads what is there, and the record flags the line

extern "C" __global__ void guard(const float* a, float* out, int n) {
    const int idx = threadIdx.x;
    /*‮ } ⁦if (idx < n)⁩ ⁦ the guard is missing */
    if (idx < n) out[idx] = a[idx] + 10.0f;
    /* end ‮ { ⁦*/
}
