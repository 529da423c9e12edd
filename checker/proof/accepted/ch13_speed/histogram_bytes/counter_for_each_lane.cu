// Has 32 counters of each bin, which take 32 KiB, and two loads in flight.

extern "C" __global__ void histogram_bytes(const unsigned char* in, unsigned* bins, int n) {
    __shared__ unsigned counts[256][32];
    const int tid = threadIdx.x;
    const int lane = tid % 32;
    const int threads = gridDim.x * blockDim.x;
    for (int bin = tid / 32; bin < 256; bin += blockDim.x / 32) {
        counts[bin][lane] = 0;
    }
    __syncthreads();

    auto add = [&](uint4 v) {
        for (unsigned word : {v.x, v.y, v.z, v.w}) {
            for (int k = 0; k < 4; ++k) {
                atomicAdd(&counts[word >> 8 * k & 255][lane], 1u);
            }
        }
    };
    const uint4* in16 = reinterpret_cast<const uint4*>(in);
    int i = blockIdx.x * blockDim.x + tid;
    for (; i + threads < n / 16; i += 2 * threads) {
        const uint4 a = in16[i], b = in16[i + threads];
        add(a);
        add(b);
    }
    if (i < n / 16) {
        add(in16[i]);
    }
    if (blockIdx.x == 0 && tid < n % 16) {
        atomicAdd(&counts[in[n / 16 * 16 + tid]][lane], 1u);
    }
    __syncthreads();

    // a warp adds up the counters of a bin
    for (int bin = tid / 32; bin < 256; bin += blockDim.x / 32) {
        unsigned sum = counts[bin][lane];
        for (int distance = 16; distance > 0; distance /= 2) {
            sum += __shfl_down_sync(0xffffffffu, sum, distance);
        }
        if (lane == 0) {
            atomicAdd(&bins[bin], sum);
        }
    }
}
