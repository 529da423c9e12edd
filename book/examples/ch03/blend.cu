// Blends two images whose pixels are four floats (red, green, blue, alpha).
#include <cstdio>
#include <vector>

// ANCHOR: one
__global__ void blend(const float* a, const float* b, float* out, float t,
                      int floats) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < floats) {
        float p = a[i];
        float q = b[i];
        out[i] = (1 - t) * p + t * q;
    }
}
// ANCHOR_END: one

// ANCHOR: four
__global__ void blend4(const float4* a, const float4* b, float4* out,
                       float t, int pixels) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pixels) {
        float4 p = a[i];                                     // (1)
        float4 q = b[i];
        float s = 1 - t;
        out[i] = make_float4(s * p.x + t * q.x,              // (2)
                             s * p.y + t * q.y,
                             s * p.z + t * q.z,
                             s * p.w + t * q.w);
    }
}
// ANCHOR_END: four

int main() {
    const int pixels = 4096;
    const int floats = 4 * pixels;
    std::vector<float> a(floats), b(floats), first(floats), second(floats);
    for (int i = 0; i < floats; ++i) {
        a[i] = i;
        b[i] = 2 * i;
    }
    float *d_a, *d_b, *d_out;
    size_t bytes = floats * sizeof(float);
    cudaMalloc(&d_a, bytes);
    cudaMalloc(&d_b, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice);

    blend<<<(floats + 255) / 256, 256>>>(d_a, d_b, d_out, 0.25f, floats);
    cudaMemcpy(first.data(), d_out, bytes, cudaMemcpyDeviceToHost);

    // ANCHOR: launch
    blend4<<<(pixels + 255) / 256, 256>>>(
        reinterpret_cast<const float4*>(d_a),
        reinterpret_cast<const float4*>(d_b),
        reinterpret_cast<float4*>(d_out), 0.25f, pixels);
    // ANCHOR_END: launch
    cudaMemcpy(second.data(), d_out, bytes, cudaMemcpyDeviceToHost);

    printf("the same results: %s\n", first == second ? "yes" : "no");
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_out);
}
