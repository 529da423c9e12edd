// Has eight loads of four floats in flight, with four sums, and keeps the tree of the original.

constexpr int BLOCK = 256;
constexpr int LOADS = 8;

extern "C" __global__ void reduce_bandwidth(const float* in, float* total, int n) {
    __shared__ float tile[BLOCK];
    const int tid = threadIdx.x;
    const int threads = gridDim.x * BLOCK;
    const int me = blockIdx.x * BLOCK + tid;
    const float4* in4 = reinterpret_cast<const float4*>(in);

    float4 sums = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    auto add = [&](float4 v) {
        sums.x += v.x;
        sums.y += v.y;
        sums.z += v.z;
        sums.w += v.w;
    };
    int i = me;
    while (i + (LOADS - 1) * threads < n / 4) {
        float4 values[LOADS];
        for (int k = 0; k < LOADS; ++k, i += threads) {
            values[k] = in4[i];
        }
        for (float4 v : values) {
            add(v);
        }
    }
    for (; i < n / 4; i += threads) {
        add(in4[i]);
    }
    if (me < n % 4) {
        sums.x += in[n / 4 * 4 + me];
    }

    tile[tid] = (sums.x + sums.y) + (sums.z + sums.w);
    __syncthreads();
    for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (tid < stride) {
            tile[tid] += tile[tid + stride];
        }
        __syncthreads();
    }
    if (tid == 0) {
        atomicAdd(total, tile[0]);
    }
}
