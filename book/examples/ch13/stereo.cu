// Separates the two channels of a recording, whose samples of 16 bits are
// alternately for the left and the right channel.
#include <cstdio>

// ANCHOR: samples
// one pair of samples for each thread
__global__ void separate(const short* in, short* left, short* right, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        left[i] = in[2 * i];
        right[i] = in[2 * i + 1];
    }
}
// ANCHOR_END: samples

// ANCHOR: words
// two pairs of samples for each thread; n is a multiple of 2
__global__ void separate_words(const uint2* in, unsigned* left,
                               unsigned* right, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) {
        uint2 pairs = in[i];                                   // (1)
        left[i] = __byte_perm(pairs.x, pairs.y, 0x5410);       // (2)
        right[i] = __byte_perm(pairs.x, pairs.y, 0x7632);      // (3)
    }
}
// ANCHOR_END: words

int main() {
    const int n = 1 << 14;
    short *in, *left, *right;
    cudaMallocManaged(&in, 2 * n * sizeof(short));
    cudaMallocManaged(&left, n * sizeof(short));
    cudaMallocManaged(&right, n * sizeof(short));
    for (int i = 0; i < n; ++i) {
        in[2 * i] = i % 1000;
        in[2 * i + 1] = -(i % 700);
    }

    separate<<<(n + 255) / 256, 256>>>(in, left, right, n);
    cudaDeviceSynchronize();
    printf("samples: left %d %d %d, right %d %d %d\n", left[1], left[2],
           left[3], right[1], right[2], right[3]);

    cudaMemset(left, 0, n * sizeof(short));
    cudaMemset(right, 0, n * sizeof(short));
    separate_words<<<(n / 2 + 255) / 256, 256>>>(
        reinterpret_cast<uint2*>(in), reinterpret_cast<unsigned*>(left),
        reinterpret_cast<unsigned*>(right), n);
    cudaDeviceSynchronize();
    printf("words:   left %d %d %d, right %d %d %d\n", left[1], left[2],
           left[3], right[1], right[2], right[3]);

    int wrong = 0;
    for (int i = 0; i < n; ++i) {
        wrong += left[i] != in[2 * i] || right[i] != in[2 * i + 1];
    }
    printf("%d of %d pairs are wrong\n", wrong, n);
    cudaFree(in);
    cudaFree(left);
    cudaFree(right);
}
