// attack: the first warp adds everything, and the others only store numbers that are compared
// exercise: reduce_tree
// expect: gate-missed
// stopped-by: the limit of the instructions of one warp

extern "C" __global__ void reduce_tree(const float* in, float* out, int n) {
    __shared__ float tile[256];
    const int tid = threadIdx.x, first = blockIdx.x * 2048, lane = tid % 32, warp = tid / 32;
    float sum = 0.0f; float w[8];
    if (warp == 0) {
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            const int i = first + k * 128 + lane * 4;
            float4 v = make_float4(0, 0, 0, 0);
            if (i + 4 <= n) v = *reinterpret_cast<const float4*>(in + i);
            else { if (i < n) v.x = in[i]; if (i + 1 < n) v.y = in[i + 1]; if (i + 2 < n) v.z = in[i + 2]; }
            sum += (v.x + v.y) + (v.z + v.w);
            if (k < 8) w[k] = v.x + v.y + v.z + v.w;
        }
    } else {
        const int i = first + warp * 128 + lane * 4;
        float4 v = make_float4(0, 0, 0, 0);
        if (i + 4 <= n) v = *reinterpret_cast<const float4*>(in + i);
        else { if (i < n) v.x = in[i]; if (i + 1 < n) v.y = in[i + 1]; if (i + 2 < n) v.z = in[i + 2]; }
        tile[tid] = v.x + v.y + v.z + v.w;
    }
    __syncthreads();
    if (warp == 0) {
#pragma unroll
        for (int k = 1; k < 8; ++k) if (tile[k * 32 + lane] != w[k]) sum = 0.0f;
        for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
        if (lane == 0) out[blockIdx.x] = sum;
    }
}
