// Reads an array of floats as float4, beginning with its third element.
#include <cstdio>

// ANCHOR: kernel
__global__ void negate4(const float* in, float4* out, int first,
                        int fours) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < fours) {
        const float4* in4 = reinterpret_cast<const float4*>(in + first);
        float4 v = in4[i];  // aligned only if first is a multiple of 4
        out[i] = make_float4(-v.x, -v.y, -v.z, -v.w);
    }
}
// ANCHOR_END: kernel

int main() {
    const int fours = 4;
    float in[2 + 4 * fours];
    for (int i = 0; i < 2 + 4 * fours; ++i) {
        in[i] = i;
    }
    float* d_in;
    float4* d_out;
    float4 out[fours] = {};
    cudaMalloc(&d_in, sizeof(in));
    cudaMalloc(&d_out, sizeof(out));
    cudaMemcpy(d_in, in, sizeof(in), cudaMemcpyHostToDevice);
    // ANCHOR: launch
    negate4<<<1, 32>>>(d_in, d_out, 2, fours);
    // ANCHOR_END: launch
    cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
    printf("%g %g %g %g\n", out[0].x, out[0].y, out[0].z, out[0].w);
    cudaFree(d_in);
    cudaFree(d_out);
}
