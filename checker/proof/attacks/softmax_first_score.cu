// attack: subtracts the first score of a row instead of the greatest one, and adds up in double
// exercise: softmax_rows
// expect: not-a-number
// stopped-by: scores of a row that are up to 1000 apart, whose exponentials no double holds

constexpr int BLOCK = 256;

extern "C" __global__ void softmax_rows(const float* in, float* out, int cols) {
    __shared__ double parts[BLOCK / 32];
    const float* row = in + size_t(blockIdx.x) * cols;
    double sum = 0.0;
    for (int c = threadIdx.x; c < cols; c += BLOCK) {
        sum += exp(double(row[c]) - row[0]);
    }
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    }
    if (threadIdx.x % 32 == 0) {
        parts[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    sum = 0.0;
    for (double part : parts) {
        sum += part;
    }
    for (int c = threadIdx.x; c < cols; c += BLOCK) {
        out[size_t(blockIdx.x) * cols + c] = float(exp(double(row[c]) - row[0]) / sum);
    }
}
