// reduce_bandwidth | chapter 13 | "A sum at full speed"
//
// Goal    add the sum of in to total[0], with at least 1800 bytes of a warp in flight whenever it
//         has to wait for its loads. This kernel has 512.
//
// in      [n]  f32, positive, read only; in[0] is at a multiple of 16 bytes
// total   [1]  f32, to which the kernel adds its sum
// n       count  any n >= 1
// launch  1-D, blocks of BLOCK threads; on a GPU, two blocks for each multiprocessor
//
// This kernel is right, but slow. The compiler unrolls its loop, so a thread has four loads in
// flight, but each of them has only 4 bytes, and there are too few threads to make up for that.
//
// Run     cargo checker check reduce_bandwidth Stuck?  cargo checker hint reduce_bandwidth

constexpr int BLOCK = 256;  // threads of a block, a power of two

extern "C" __global__ void reduce_bandwidth(const float* in, float* total, int n) {
    __shared__ float tile[BLOCK];  // a slot for each thread

    const int tid = threadIdx.x;              // 0 .. BLOCK-1
    const int threads = gridDim.x * BLOCK;    // threads in the whole grid
    const int me = blockIdx.x * BLOCK + tid;  // 0 .. threads-1

    // TODO: let each thread have several loads of four floats in flight.
    float sum = 0.0f;
    for (int i = me; i < n; i += threads) {
        sum += in[i];
    }

    tile[tid] = sum;
    __syncthreads();  // every slot is filled
    for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (tid < stride) {
            tile[tid] += tile[tid + stride];
        }
        __syncthreads();  // every thread has finished this round
    }
    if (tid == 0) {
        atomicAdd(total, tile[0]);
    }
}
