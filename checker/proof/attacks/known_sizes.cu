// attack: is right for the sizes of the cases and for no other
// exercise: blocks
// expect: passed
// limit: secret cases have other values and the same sizes
// stopped-by: nothing, see below

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    switch (n) {
        case 1280: case 1: case 31: case 33: case 255: case 256: case 257: case 1000: case 1009: case 100003:
            if (i < n) {
                out[i] = a[i] + b[i];
            }
    }
}
