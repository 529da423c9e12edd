// attack: lanes whose words are in one bank take turns, so that no request has a conflict
// exercise: scan_blocks
// expect: gate-missed
// stopped-by: the limit of requests of shared memory

constexpr int THREADS = 256;
constexpr int TILE = 2 * THREADS;
__global__ void scan_tiles(const int* in, int* out, int* totals, int n) {
    __shared__ int tile[TILE];
    const int tid = threadIdx.x, first = blockIdx.x * TILE;
    int own[2] = {0, 0};
    for (int k = 0; k < 2; k++) { const int i = tid + k * THREADS; if (first + i < n) own[k] = in[first + i]; tile[i] = own[k]; }
#pragma unroll
    for (int stride = 1; stride < TILE; stride *= 2) {
        __syncthreads();
        const int end = 2 * stride * (tid + 1) - 1;
        const int turns = stride < 16 ? 2 * stride : (512 / (2 * stride) < 32 ? 512 / (2 * stride) : 32);
        const int mine = stride < 16 ? tid % 32 * 2 * stride / 32 : tid % 32;
        if (end < TILE)
#pragma unroll
            for (int t = 0; t < turns; ++t) if (t == mine) tile[end] += tile[end - stride];
    }
    __syncthreads();
    if (tid == 0) { if (totals) totals[blockIdx.x] = tile[TILE - 1]; tile[TILE - 1] = 0; }
#pragma unroll
    for (int stride = TILE / 2; stride > 0; stride /= 2) {
        __syncthreads();
        const int end = 2 * stride * (tid + 1) - 1;
        const int turns = stride < 16 ? 2 * stride : (512 / (2 * stride) < 32 ? 512 / (2 * stride) : 32);
        const int mine = stride < 16 ? tid % 32 * 2 * stride / 32 : tid % 32;
        if (end < TILE)
#pragma unroll
            for (int t = 0; t < turns; ++t) if (t == mine) { const int b = tile[end]; tile[end] = b + tile[end - stride]; tile[end - stride] = b; }
    }
    __syncthreads();
    for (int k = 0; k < 2; k++) { const int i = tid + k * THREADS; if (first + i < n) out[first + i] = tile[i] + own[k]; }
}
__global__ void add(int* out, const int* totals, int n) {
    const int i = blockIdx.x * TILE + threadIdx.x;
    const int c = blockIdx.x ? totals[blockIdx.x - 1] : 0;
    if (i < n) out[i] += c;
    if (i + THREADS < n) out[i + THREADS] += c;
}
extern "C" void scan_blocks(const int* in, int* out, int n) {
    const int tiles = (n + TILE - 1) / TILE; const size_t bytes = n * sizeof(int);
    int *a, *o, *t; cudaMalloc(&a, bytes); cudaMalloc(&o, bytes); cudaMalloc(&t, tiles * 4);
    cudaMemcpy(a, in, bytes, cudaMemcpyHostToDevice);
    scan_tiles<<<tiles, THREADS>>>(a, o, t, n);
    scan_tiles<<<1, THREADS>>>(t, t, nullptr, tiles);
    add<<<tiles, THREADS>>>(o, t, n);
    cudaMemcpy(out, o, bytes, cudaMemcpyDeviceToHost);
    cudaFree(t); cudaFree(o); cudaFree(a);
}
