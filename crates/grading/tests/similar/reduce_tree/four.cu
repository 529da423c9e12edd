constexpr int BLOCK = 256;  // threads per block, a power of two

template <int N>
__device__ void fold(volatile float* data, int tid) {
    if constexpr (N > 0) {
        if (tid < N) {
            data[tid] = data[tid] + data[tid + N];
        }
        __syncthreads();
        fold<N / 2>(data, tid);
    }
}

extern "C" __global__ void reduce_tree(const float* in, float* out, int n) {
    __shared__ float tile[BLOCK];  // one slot per thread

    const int tid = threadIdx.x;
    const size_t first = size_t(blockIdx.x) * BLOCK;
    const size_t left = n - first;

    tile[tid] = tid < left ? in[first + tid] : 0.0f;
    __syncthreads();

    fold<BLOCK / 2>(tile, tid);
    switch (tid) {
        case 0: out[blockIdx.x] = tile[0]; break;
        default: break;
    }
}
