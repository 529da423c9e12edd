#include <cstdio>

constexpr int N = 256;

// ANCHOR: kernel
// roots[i] = the square root of in[i], by Newton's method
__global__ void newton(const float* in, float* roots) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;

    float root = in[idx];
    for (int step = 0; step < 6; ++step) {
        if (idx == 200) {                                       // (1)
            printf("step %d: root %g, in / root %g\n", step, root,
                   in[idx] / root);
        }
        root = 0.5f * (root + in[idx] / root);                  // (2)
    }
    roots[idx] = root;
}
// ANCHOR_END: kernel

int main() {
    float in[N], roots[N];
    for (int i = 0; i < N; ++i) {
        in[i] = 1.0f + i;
    }
    float *d_in, *d_roots;
    cudaMalloc(&d_in, sizeof(in));
    cudaMalloc(&d_roots, sizeof(roots));
    cudaMemcpy(d_in, in, sizeof(in), cudaMemcpyHostToDevice);

    newton<<<N / 64, 64>>>(d_in, d_roots);

    cudaMemcpy(roots, d_roots, sizeof(roots), cudaMemcpyDeviceToHost);
    printf("the root of %g is %g\n", in[200], roots[200]);

    cudaFree(d_roots);
    cudaFree(d_in);
}
