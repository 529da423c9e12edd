// matmul_registers | chapter 13 | "Results in registers"
//
// Goal    compute c = a * b (matrix product), with at most 20 000 requests to shared memory for
//         matrices of 256 x 64 and 64 x 256 floats. This kernel needs 270 336.
//
// a       [rows][inner]  f32, in the host's memory, read only
// b       [inner][cols]  f32, in the host's memory, read only
// c       [rows][cols]   f32, in the host's memory, every element written once
// rows, inner, cols      counts, at least 1; inner and cols are multiples of 4
//
// A thread computes one element of c, so it loads two floats from shared memory for each product.
// You may change the tiles, the blocks and the launch.
//
// Run     cargo checker check matmul_registers Stuck?  cargo checker hint matmul_registers

constexpr int TILE = 32;  // elements along each side of a tile; one thread for each element

__global__ void multiply(const float* a, const float* b, float* c, int rows, int inner, int cols) {
    __shared__ float a_tile[TILE][TILE];
    __shared__ float b_tile[TILE][TILE];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty;  // row of a and c
    const int col = blockIdx.x * TILE + tx;  // column of b and c

    float sum = 0.0f;
    for (int first = 0; first < inner; first += TILE) {
        const int a_col = first + tx;
        const int b_row = first + ty;
        a_tile[ty][tx] = row < rows && a_col < inner ? a[size_t(row) * inner + a_col] : 0.0f;
        b_tile[ty][tx] = b_row < inner && col < cols ? b[size_t(b_row) * cols + col] : 0.0f;
        __syncthreads();  // both tiles are complete

        // TODO: let each thread compute a square of elements, so that it uses each float that it
        //       loads from shared memory several times.
        for (int k = 0; k < TILE; ++k) {
            sum += a_tile[ty][k] * b_tile[k][tx];
        }
        __syncthreads();  // every thread has used both tiles
    }

    if (row < rows && col < cols) {
        c[size_t(row) * cols + col] = sum;
    }
}

extern "C" void matmul_registers(const float* a, const float* b, float* c, int rows, int inner,
                                 int cols) {
    const size_t a_bytes = size_t(rows) * inner * sizeof(float);
    const size_t b_bytes = size_t(inner) * cols * sizeof(float);
    const size_t c_bytes = size_t(rows) * cols * sizeof(float);

    float *d_a, *d_b, *d_c;
    cudaMalloc(&d_a, a_bytes);
    cudaMalloc(&d_b, b_bytes);
    cudaMalloc(&d_c, c_bytes);
    cudaMemcpy(d_a, a, a_bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b, b_bytes, cudaMemcpyHostToDevice);

    const dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    multiply<<<grid, dim3(TILE, TILE)>>>(d_a, d_b, d_c, rows, inner, cols);

    cudaMemcpy(c, d_c, c_bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_c);
    cudaFree(d_b);
    cudaFree(d_a);
}
