// attack: adds the carry to each result with an atomic operation, which loads no bytes
// exercise: scan_lookback
// expect: gate-missed
// stopped-by: gates: atomic operations on global memory

constexpr int THREADS = 256, TILE = THREADS * 24;
__global__ void scan_tiles(const int* in, int* out, int* sums, int n) {
    __shared__ int part[8];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int base = blockIdx.x * TILE + warp * 32 * 24;
    int v[24], before = 0;
    for (int k = 0; k < 24; ++k) {
        const int i = base + k * 32 + lane;
        int x = i < n ? in[i] : 0;
        for (int d = 1; d < 32; d *= 2) {
            const int o = __shfl_up_sync(~0u, x, d);
            x += lane >= d ? o : 0;
        }
        v[k] = x + before;
        before += __shfl_sync(~0u, x, 31);
    }
    if (lane == 0) part[warp] = before;
    __syncthreads();
    int add = 0, sum = 0;
    for (int w = 0; w < 8; ++w) { add += w < warp ? part[w] : 0; sum += part[w]; }
    for (int k = 0; k < 24; ++k) {
        const int i = base + k * 32 + lane;
        if (i < n) out[i] = v[k] + add;
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
__global__ void add_carry(int* out, const int* sums, int n) {
    int carry = 0;
    for (int t = 0; t < blockIdx.x; ++t) carry += sums[t];
    const int end = min(n, (int(blockIdx.x) + 1) * TILE);
    for (int i = blockIdx.x * TILE + threadIdx.x; i < end; i += THREADS)
        atomicAdd(&out[i], carry);
}
extern "C" void scan_lookback(const int* in, int* out, int n) {
    const int tiles = (n + TILE - 1) / TILE;
    int *d_in, *d_out, *d_sums;
    cudaMalloc(&d_in, n * 4); cudaMalloc(&d_out, n * 4); cudaMalloc(&d_sums, tiles * 4);
    cudaMemcpy(d_in, in, n * 4, cudaMemcpyHostToDevice);
    scan_tiles<<<tiles, THREADS>>>(d_in, d_out, d_sums, n);
    add_carry<<<tiles, THREADS>>>(d_out, d_sums, n);
    cudaMemcpy(out, d_out, n * 4, cudaMemcpyDeviceToHost);
    cudaFree(d_sums); cudaFree(d_out); cudaFree(d_in);
}
