// Stores the exponential functions, and divides them afterwards. The reductions are a tree in
// shared memory.

constexpr int BLOCK = 256;

extern "C" __global__ void softmax_rows(const float* in, float* out, int cols) {
    __shared__ float slots[BLOCK];
    const float* row = in + size_t(blockIdx.x) * cols;
    float* result = out + size_t(blockIdx.x) * cols;
    const int tid = threadIdx.x;

    float maximum = -INFINITY;
    for (int col = tid; col < cols; col += BLOCK) {
        maximum = fmaxf(maximum, row[col]);
    }
    slots[tid] = maximum;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (tid < half) {
            slots[tid] = fmaxf(slots[tid], slots[tid + half]);
        }
        __syncthreads();
    }
    maximum = slots[0];
    __syncthreads();

    float sum = 0.0f;
    for (int col = tid; col < cols; col += BLOCK) {
        result[col] = expf(row[col] - maximum);
        sum += result[col];
    }
    slots[tid] = sum;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (tid < half) {
            slots[tid] += slots[tid + half];
        }
        __syncthreads();
    }
    const float factor = 1.0f / slots[0];
    for (int col = tid; col < cols; col += BLOCK) {
        result[col] *= factor;
    }
}
