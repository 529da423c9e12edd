// Compares kernels that invert the bytes of a picture with a copy.
#include <cstdio>
#include <cstdlib>

// ANCHOR: kernels
using byte = unsigned char;

// a thread inverts one byte
__global__ void invert_byte(const byte* in, byte* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = ~in[i];                                          // (1)
    }
}

// a thread inverts four bytes; n is a multiple of 4
__global__ void invert_word(const byte* in, byte* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        reinterpret_cast<unsigned*>(out)[i] =
            ~reinterpret_cast<const unsigned*>(in)[i];            // (2)
    }
}

// a thread inverts sixteen bytes; n is a multiple of 16
__global__ void invert_16(const byte* in, byte* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 16) {
        uint4 v = reinterpret_cast<const uint4*>(in)[i];          // (3)
        reinterpret_cast<uint4*>(out)[i] =
            make_uint4(~v.x, ~v.y, ~v.z, ~v.w);
    }
}
// ANCHOR_END: kernels

// ANCHOR: time
// The best time of ten calls of `work`, in milliseconds.
template <typename Work>
float best_time(Work work) {
    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    float best = 1e30f;
    for (int repeat = 0; repeat < 10; ++repeat) {
        cudaEventRecord(start);
        work();
        cudaEventRecord(stop);
        cudaEventSynchronize(stop);
        float ms = 0.0f;
        cudaEventElapsedTime(&ms, start, stop);
        best = ms < best ? ms : best;
    }
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    return best;
}
// ANCHOR_END: time

int main(int argc, char** argv) {
    // on a GPU, take an array that is much larger than its cache
    const int n = argc > 1 ? atoi(argv[1]) : 1 << 16;
    byte *in, *out;
    cudaMalloc(&in, n);
    cudaMalloc(&out, n);
    cudaMemset(in, 100, n);

    const float copy = best_time([&] {
        cudaMemcpy(out, in, n, cudaMemcpyDeviceToDevice);
    });
    auto report = [&](const char* name, float ms) {
        printf("%-12s %6.3f ms %5.0f GB/s %4.0f %% of the copy\n", name, ms,
               2.0f * n / ms * 1e-6f, 100.0f * copy / ms);
    };
    report("copy", copy);
    report("invert_byte", best_time([&] {
        invert_byte<<<(n + 255) / 256, 256>>>(in, out, n);
    }));
    report("invert_word", best_time([&] {
        invert_word<<<(n / 4 + 255) / 256, 256>>>(in, out, n);
    }));
    report("invert_16", best_time([&] {
        invert_16<<<(n / 16 + 255) / 256, 256>>>(in, out, n);
    }));
    cudaFree(in);
    cudaFree(out);
}
