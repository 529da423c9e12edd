// Computes how bright eight frames are. Copies overlap with kernels.
#include <cstdio>

// ANCHOR: kernel
__global__ void brightness(const unsigned char* frame, int n,
                           unsigned int* sum) {
    unsigned int mine = 0;
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; i < n; i += gridDim.x * blockDim.x) {
        mine += frame[i];
    }
    atomicAdd(sum, mine);
}
// ANCHOR_END: kernel

// ANCHOR: main
constexpr int FRAMES = 8;
constexpr int PIXELS = 640 * 480;

int main() {
    unsigned char* frames = nullptr;
    cudaMallocHost(&frames, FRAMES * PIXELS);                    // (1)
    for (int i = 0; i < FRAMES * PIXELS; ++i) {
        frames[i] = 10 * (i / PIXELS);  // frame k has brightness 10 k
    }

    unsigned char* d_frame[2];                                   // (2)
    cudaStream_t stream[2];
    for (int turn = 0; turn < 2; ++turn) {
        cudaMalloc(&d_frame[turn], PIXELS);
        cudaStreamCreate(&stream[turn]);
    }
    unsigned int* d_sums = nullptr;
    cudaMalloc(&d_sums, FRAMES * sizeof(unsigned int));
    cudaMemset(d_sums, 0, FRAMES * sizeof(unsigned int));

    for (int k = 0; k < FRAMES; ++k) {
        int turn = k % 2;                                        // (3)
        cudaMemcpyAsync(d_frame[turn], frames + k * PIXELS, PIXELS,
                        cudaMemcpyHostToDevice, stream[turn]);   // (4)
        brightness<<<32, 256, 0, stream[turn]>>>(                // (5)
            d_frame[turn], PIXELS, d_sums + k);
    }

    unsigned int sums[FRAMES];
    cudaMemcpy(sums, d_sums, sizeof sums, cudaMemcpyDeviceToHost);  // (6)
    for (int k = 0; k < FRAMES; ++k) {
        printf("frame %d: %u\n", k, sums[k] / PIXELS);
    }

    for (int turn = 0; turn < 2; ++turn) {
        cudaStreamDestroy(stream[turn]);
        cudaFree(d_frame[turn]);
    }
    cudaFree(d_sums);
    cudaFreeHost(frames);
}
// ANCHOR_END: main
