// float4_align | chapter 3 | "Four at a time"
//
// Goal    compute out[i] = a * x[offset + i] + y[i], with a quarter of this kernel's load requests.
//         For that, a load has to read four floats.
//
// a       a number
// x       [offset + n]  f32, read only; the kernel uses the n elements from `offset` on
// y       [n]           f32, read only
// out     [n]           f32, every element must be written, by one thread
// offset  count         0 or more, so the part of x that the kernel uses may begin anywhere
// n       count         any n >= 1, not always a multiple of 4
// launch  2 blocks of 32 threads or 4 blocks of 128; the kernel must be right for both
//
// x, y and out begin at multiples of 256 bytes. A float4 must begin at a multiple of 16 bytes.
//
// This kernel is right, but each of its loads reads only one float.
//
// Run     cargo checker check float4_align     Stuck?  cargo checker hint float4_align

extern "C" __global__ void float4_align(float a, const float* x, const float* y, float* out,
                                        int offset, int n) {
    const int threads = gridDim.x * blockDim.x;            // threads in the whole grid
    const int me = blockIdx.x * blockDim.x + threadIdx.x;  // 0 .. threads-1
    const float* view = x + offset;                        // [n]

    for (int i = me; i < n; i += threads) {
        out[i] = a * view[i] + y[i];
    }
}
