// Times polynomials of several degrees. A higher degree takes more
// operations for the same bytes.
#include <cstdio>
#include <cstdlib>

// ANCHOR: kernel
// out[i] = a polynomial of in[i], by Horner's rule
template <int DEGREE>
__global__ void polynomial(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = in[i];
        float y = 0.5f;
#pragma unroll
        for (int k = 0; k < DEGREE; ++k) {
            y = y * x + 0.25f;
        }
        out[i] = y;
    }
}
// ANCHOR_END: kernel

template <int DEGREE>
void time_of(const float* in, float* out, int n) {
    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    float best = 1e30f;
    for (int repeat = 0; repeat < 5; ++repeat) {
        cudaEventRecord(start);
        polynomial<DEGREE><<<(n + 255) / 256, 256>>>(in, out, n);
        cudaEventRecord(stop);
        cudaEventSynchronize(stop);
        float ms = 0.0f;
        cudaEventElapsedTime(&ms, start, stop);
        best = ms < best ? ms : best;
    }
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    printf("degree %3d: %5.2f operations/byte, %6.3f ms, %5.0f GB/s, "
           "%6.0f GFLOP/s\n", DEGREE, 2.0f * DEGREE / 8, best,
           8.0f * n / best * 1e-6f, 2.0f * DEGREE * n / best * 1e-6f);
}

int main(int argc, char** argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 1 << 16;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMemset(in, 0, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    time_of<4>(in, out, n);
    time_of<16>(in, out, n);
    time_of<64>(in, out, n);
    time_of<128>(in, out, n);
    time_of<256>(in, out, n);
    cudaFree(in);
    cudaFree(out);
}
