// attack: goes through the array three times, with loads of four floats
// exercise: roofline
// expect: gate-missed
// stopped-by: the bytes that are loaded for each element

__device__ const int PREDICTED[6] = {24, 3, 8, 3, 20, 80};

// Between the loops, the values are here, in global memory.
__device__ float4 between[65536];

extern "C" __global__ void roofline(const float* in, float* out, int* predicted, int n) {
    const int me = blockIdx.x * blockDim.x + threadIdx.x;
    const int threads = gridDim.x * blockDim.x;
    if (me < 6) {
        predicted[me] = PREDICTED[me];
    }

    // still three loops, each of which goes through the whole array in global memory
    const int fours = n / 4;
    for (int i = me; i < fours; i += threads) {
        const float4 v = reinterpret_cast<const float4*>(in)[i];
        between[i] = make_float4(3.0f * v.x, 3.0f * v.y, 3.0f * v.z, 3.0f * v.w);
    }
    for (int i = me; i < fours; i += threads) {
        const float4 v = between[i];
        between[i] = make_float4(v.x - 1.0f, v.y - 1.0f, v.z - 1.0f, v.w - 1.0f);
    }
    for (int i = me; i < fours; i += threads) {
        const float4 v = between[i];
        reinterpret_cast<float4*>(out)[i] = make_float4(v.x * v.x, v.y * v.y, v.z * v.z, v.w * v.w);
    }
    for (int i = 4 * fours + me; i < n; i += threads) {
        const float v = 3.0f * in[i] - 1.0f;
        out[i] = v * v;
    }
}
