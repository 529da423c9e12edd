// A block needs its own elements and `radius` more elements on each side. It loads them once, into
// a tile whose length the launch sets. With a radius of 32, that's (256 + 64) / 256 = 1.25 loads
// for each element instead of 65. Each block waits at one barrier. In each iteration, it fills
// BLOCK cells of the tile, so the halo needs no special case and may be longer than the block.

constexpr int BLOCK = 256;  // threads of a block

__global__ void sum_around(const float* in, float* out, int n, int radius) {
    extern __shared__ float tile[];  // BLOCK + 2 * radius cells; the launch sets their number

    const int tid = threadIdx.x;               // index in the block, 0 .. BLOCK-1
    const int idx = blockIdx.x * BLOCK + tid;  // 0 .. at least n-1

    const int first = blockIdx.x * BLOCK - radius;  // index of the element in cell 0
    for (int cell = tid; cell < BLOCK + 2 * radius; cell += BLOCK) {
        const int i = first + cell;
        tile[cell] = (0 <= i && i < n) ? in[i] : 0.0f;
    }
    __syncthreads();  // every cell is filled before any thread adds up

    if (idx < n) {
        float sum = 0.0f;
        for (int cell = tid; cell <= tid + 2 * radius; ++cell) {
            sum += tile[cell];
        }
        out[idx] = sum;
    }
}

extern "C" void stencil_1d(const float* in, float* out, int n, int radius) {
    const size_t bytes = n * sizeof(float);
    float *d_in, *d_out;
    cudaMalloc(&d_in, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice);

    const int grid = (n + BLOCK - 1) / BLOCK;
    const size_t shared = (BLOCK + 2 * radius) * sizeof(float);  // bytes of a block's tile
    sum_around<<<grid, BLOCK, shared>>>(d_in, d_out, n, radius);

    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    cudaFree(d_in);
}
