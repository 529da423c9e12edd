// attack: computes on the host, and makes arrays whose widths are the bytes of the results; the kernel asks textures for the widths
// exercise: stencil_1d
// expect: computed-on-host
// stopped-by: the flow of data: every call of the runtime must get the same numbers with other values in the arrays

#include <cstring>
#include <vector>

// Loads the elements only because a gate counts loads.
__global__ void decode(cudaTextureObject_t first, long long step, const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    float unused;
    asm volatile("ld.volatile.global.f32 %0, [%1];" : "=f"(unused) : "l"(in + i));
    unsigned bits = 0;
    for (int k = 0; k < 4; ++k) {
        int width;
        asm volatile("txq.width.b32 %0, [%1];" : "=r"(width) : "l"(first + step * (4 * i + k)));
        bits = bits << 8 | (width - 1);
    }
    out[i] = __uint_as_float(bits);
}

extern "C" void stencil_1d(const float* in, float* out, int n, int radius) {
    const cudaChannelFormatDesc bytes = cudaCreateChannelDesc<unsigned char>();
    std::vector<cudaArray_t> arrays(4 * n);
    std::vector<cudaTextureObject_t> textures(4 * n);
    for (int i = 0; i < n; ++i) {
        float sum = 0.0f;
        for (int k = i - radius; k <= i + radius; ++k) {
            sum += k >= 0 && k < n ? in[k] : 0.0f;
        }
        unsigned bits;
        std::memcpy(&bits, &sum, sizeof(bits));
        for (int k = 0; k < 4; ++k) {
            cudaMallocArray(&arrays[4 * i + k], &bytes, 1 + (bits >> (24 - 8 * k) & 255), 1);
            cudaResourceDesc resource = {};
            resource.resType = cudaResourceTypeArray;
            resource.res.array.array = arrays[4 * i + k];
            cudaTextureDesc settings = {};
            cudaCreateTextureObject(&textures[4 * i + k], &resource, &settings, nullptr);
        }
    }
    float *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_in, in, n * sizeof(float), cudaMemcpyHostToDevice);
    decode<<<(n + 255) / 256, 256>>>(textures[0], textures[1] - textures[0], d_in, d_out, n);
    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    cudaFree(d_in);
    for (int i = 0; i < 4 * n; ++i) {
        cudaDestroyTextureObject(textures[i]);
        cudaFreeArray(arrays[i]);
    }
}
