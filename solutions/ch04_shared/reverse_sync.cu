// The barrier is between the line that writes to the tile and the line that reads from it, and
// every thread of the block reaches it. So no thread reads from the tile before all threads have
// written to it. Each thread executes one load and one store, and waits at one barrier.

constexpr int MOST = 256;  // threads of the largest block

extern "C" __global__ void reverse_sync(const float* in, float* out) {
    __shared__ float tile[MOST];  // a slot for each thread, shared by the whole block

    const int tid = threadIdx.x;                    // index in the block, 0 .. blockDim.x-1
    const int idx = blockIdx.x * blockDim.x + tid;  // index in the array, 0 .. n-1

    tile[tid] = in[idx];
    __syncthreads();  // every slot is filled before any thread reads another thread's slot
    out[idx] = tile[blockDim.x - 1 - tid];
}
