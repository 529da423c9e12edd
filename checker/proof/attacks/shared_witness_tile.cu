// attack: 64 KiB are requested, one float is compared, and a second array takes the rows
// exercise: big_tile
// expect: gate-missed
// stopped-by: results that only move data have to be those of the run whose shared memory they get

constexpr int THREADS = 256;
__global__ void rotate(float* rows, float* old, int width, int shift) {
    extern __shared__ float tile[];
    float* row = rows + blockIdx.x * width; float* o = old + blockIdx.x * width;
    for (int i = threadIdx.x; i < width; i += THREADS) o[i] = row[i];
    if (threadIdx.x == 0) tile[0] = row[0];
    __syncthreads();
    const float w = tile[0];
    for (int i = threadIdx.x; i < width; i += THREADS) row[i] = w == o[0] ? o[(i + shift) % width] : 0.0f;
}
extern "C" void big_tile(float* rows, int* fits, int height, int width, int shift) {
    const size_t rb = width * sizeof(float);
    int device = 0, limit = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    *fits = rb <= limit;
    if (!*fits) return;
    float *d, *o;
    cudaMalloc(&d, height * rb); cudaMalloc(&o, height * rb);
    cudaMemcpy(d, rows, height * rb, cudaMemcpyHostToDevice);
    cudaFuncSetAttribute(rotate, cudaFuncAttributeMaxDynamicSharedMemorySize, rb);
    rotate<<<height, THREADS, rb>>>(d, o, width, shift);
    *fits = cudaGetLastError() == cudaSuccess;
    if (*fits) {
        cudaMemcpy(rows, d, height * rb, cudaMemcpyDeviceToHost);
    }
    cudaFree(o); cudaFree(d);
}
