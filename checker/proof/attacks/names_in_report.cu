// attack: a kernel's parameter with a name of megabytes, for the record and the pages that quote it
// exercise: roundtrip
// expect: out-of-bounds-write
// graded: yes
// stopped-by: every text of a verdict has a limit

#define PASTE(a, b) a##b
#define TWICE(a) PASTE(a, a)
#define N0 nnnnnnnnnnnnnnnn
#define N1 TWICE(N0)
#define N2 TWICE(N1)
#define N3 TWICE(N2)
#define N4 TWICE(N3)
#define N5 TWICE(N4)
#define N6 TWICE(N5)
#define N7 TWICE(N6)
#define N8 TWICE(N7)
#define N9 TWICE(N8)
#define N10 TWICE(N9)
#define N11 TWICE(N10)
#define N12 TWICE(N11)
#define N11 TWICE(N16)
#define N12 TWICE(N11)

__global__ void N12(const float* a, float* N11, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    N11[i + 100000] = a[i];
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    float *d_a = nullptr, *d_out = nullptr;
    cudaMalloc(&d_a, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_a, a, n * sizeof(float), cudaMemcpyHostToDevice);
    N12<<<(n + 255) / 256, 256>>>(d_a, d_out, n);
    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_out);
}
