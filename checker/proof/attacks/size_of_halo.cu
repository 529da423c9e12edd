// attack: has a tile of a fixed size that is large enough for the halos of three hundred elements
// exercise: stencil_1d
// expect: out-of-bounds-write
// stopped-by: a halo of a thousand elements

constexpr int BLOCK = 256;  // threads of a block

__global__ void sum_around(const float* in, float* out, int n, int radius) {
    __shared__ float tile[BLOCK + 2 * 300];  // BLOCK + 2 * radius cells; the launch sets their number

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
    sum_around<<<grid, BLOCK>>>(d_in, d_out, n, radius);

    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    cudaFree(d_in);
}
