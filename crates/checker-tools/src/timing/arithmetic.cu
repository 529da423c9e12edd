// The reference for the device's arithmetic: chains of fused multiplications and additions of floats. The chains of a thread are
// independent of each other, so a multiprocessor always has an instruction that can begin.
#define CHAINS 8
#define STEPS 1024

extern "C" __global__ void arithmetic(float* out, float factor, float summand) {
    float value[CHAINS];
#pragma unroll
    for (int chain = 0; chain < CHAINS; ++chain) {
        value[chain] = threadIdx.x + chain;
    }
    for (int step = 0; step < STEPS; ++step) {
#pragma unroll
        for (int chain = 0; chain < CHAINS; ++chain) {
            value[chain] = fmaf(value[chain], factor, summand);
        }
    }
    float sum = 0.0f;
#pragma unroll
    for (int chain = 0; chain < CHAINS; ++chain) {
        sum += value[chain];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
