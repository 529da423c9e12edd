// Subtracts the first element of the row from all others, so one pass may use their squares.

__device__ float2 both(float2 a, float2 b) {
    return make_float2(a.x + b.x, a.y + b.y);
}

extern "C" __global__ void layer_norm(const float* in, const float* scale, const float* shift,
                                      float* out, int cols, float epsilon) {
    __shared__ float2 slots[256];
    const float* row = in + size_t(blockIdx.x) * cols;
    const int tid = threadIdx.x;

    float2 sums = make_float2(0.0f, 0.0f);
    for (int col = tid; col < cols; col += 256) {
        const float difference = row[col] - row[0];
        sums = both(sums, make_float2(difference, difference * difference));
    }
    slots[tid] = sums;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (tid < half) {
            slots[tid] = both(slots[tid], slots[tid + half]);
        }
    }
    __syncthreads();
    const float mean = slots[0].x / cols;
    const float factor = rsqrtf(slots[0].y / cols - mean * mean + epsilon);
    for (int col = tid; col < cols; col += 256) {
        out[size_t(blockIdx.x) * cols + col] =
            (row[col] - row[0] - mean) * factor * scale[col] + shift[col];
    }
}
