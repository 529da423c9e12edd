// attack: takes the greatest of 256 samples of a row for its maximum, and adds up in double
// exercise: softmax_online
// expect: not-a-number
// stopped-by: scores of a row that are up to 1000 apart, whose exponentials no double holds

constexpr int BLOCK = 256;

extern "C" __global__ void softmax_online(const float* in, float* out, int cols) {
    __shared__ double parts[BLOCK / 32];
    __shared__ float samples[BLOCK];
    const float* row = in + size_t(blockIdx.x) * cols;
    const int chunk = (cols + BLOCK - 1) / BLOCK;
    const int low = min(int(threadIdx.x) * chunk, cols);
    const int high = min(low + chunk, cols);
    samples[threadIdx.x] = low < high ? row[high - 1] : -3e38f;
    __syncthreads();
    float greatest = samples[0];
    for (float sample : samples) {
        greatest = fmaxf(greatest, sample);
    }
    double sum = 0.0;
    for (int c = low; c < high; ++c) {
        sum += exp(double(row[c]) - greatest);
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
        out[size_t(blockIdx.x) * cols + c] = float(exp(double(row[c]) - greatest) / sum);
    }
}
