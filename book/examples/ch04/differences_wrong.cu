#include <cstdio>

// ANCHOR: kernel
constexpr int BLOCK = 64;   // threads of a block

// out[i] = in[i + 1] - in[i]
__global__ void differences(const int* in, int* out) {
    __shared__ int tile[BLOCK];

    int tid = threadIdx.x;                  // index in the block
    int idx = blockIdx.x * BLOCK + tid;     // index in the array

    tile[tid] = in[idx];

    int next;
    if (tid + 1 < BLOCK) {
        next = tile[tid + 1];    // has the neighbour written it?
    } else {
        next = in[idx + 1];
    }
    out[idx] = next - tile[tid];
}
// ANCHOR_END: kernel

int main() {
    constexpr int BLOCKS = 3;
    constexpr int N = BLOCKS * BLOCK;   // differences
    int in[N + 1], out[N];
    for (int i = 0; i <= N; ++i) {
        in[i] = i * i;    // 0, 1, 4, 9 ... have the differences 1, 3, 5 ...
    }

    int *d_in, *d_out;
    cudaMalloc(&d_in, sizeof(in));
    cudaMalloc(&d_out, sizeof(out));
    cudaMemcpy(d_in, in, sizeof(in), cudaMemcpyHostToDevice);

    differences<<<BLOCKS, BLOCK>>>(d_in, d_out);

    cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < N; ++i) {
        wrong += out[i] != 2 * i + 1;
    }
    printf("%d of %d differences are wrong\n", wrong, N);

    cudaFree(d_out);
    cudaFree(d_in);
}
