// Prints what the CUDA runtime reports about kernels with given numbers of registers:
// "kernel REGISTERS MAX_THREADS LOCAL_BYTES MIN_GRID BEST_BLOCK" for each kernel, then
// "REGISTERS THREADS SHARED_BYTES BLOCKS AVAILABLE LAUNCH_ERROR" for each launch.
#include <cstdio>
#include <utility>
template <int R> __global__ void __maxnreg__(R) k(float* a, int n) {
    extern __shared__ float s[];
    if (!a) return;
    float x[R + 8];
#pragma unroll
    for (int i = 0; i < R + 8; i++) x[i] = a[i * n];
    for (int j = 0; j < n; j++)
#pragma unroll
        for (int i = 0; i < R + 8; i++) x[i] = x[i] * x[(i + 5) % (R + 8)] + a[j];
#pragma unroll
    for (int i = 0; i < R + 8; i++) a[i * n] = x[i];
    if (n < 0) s[n] = 0;
}
void row(void (*f)(float*, int), int regs, int t, int s) {
    int b = -1;
    size_t room = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&b, f, t, s);
    if (cudaOccupancyAvailableDynamicSMemPerBlock(&room, f, b, t)) room = 0;
    cudaGetLastError();
    f<<<1, t, s>>>(0, 0);
    int e = cudaGetLastError();
    if (!e) e = cudaDeviceSynchronize();
    printf("%d\t%d\t%d\t%d\t%zu\t%d\n", regs, t, s, b, room, e);
}
template <int R> void all() {
    auto f = k<R>;
    cudaFuncAttributes a;
    int g, b;
    cudaFuncSetAttribute(f, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10);
    cudaFuncGetAttributes(&a, f);
    cudaOccupancyMaxPotentialBlockSize(&g, &b, f);
    printf("kernel\t%d\t%d\t%zu\t%d\t%d\n", a.numRegs, a.maxThreadsPerBlock, a.localSizeBytes, g, b);
    for (int t = 32; t <= 1024; t += 32) row(f, a.numRegs, t, 0);
    for (int t : {1, 33, 100, 1000}) row(f, a.numRegs, t, 0);
    for (int t : {64, 256, 512})
        for (int s : {1, 5000, 16384, 33000, 49152, 76000, 100000, 116000, 232448}) row(f, a.numRegs, t, s);
}
template <int... I> void each(std::integer_sequence<int, I...>) { (all<I * 8 + 24>(), ...); }
int main() {
    cudaSetDevice(0);
    each(std::make_integer_sequence<int, 29>());
    all<37>(), all<65>(), all<81>(), all<255>();
}
