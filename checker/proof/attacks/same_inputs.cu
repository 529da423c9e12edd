// attack: reads only the signs of the inputs, and knows the magnitudes, which were the same with every seed
// exercise: nan_hunt
// expect: wrong-values
// stopped-by: all inputs depend on the seed, except the two numbers that the learner has to record

__device__ const int FOUND[3] = {2, 50, 8};

extern "C" __global__ void nan_hunt(const float* x, const float* y, float* angle, int* found, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 3) {
        found[i] = FOUND[i];
    }
    if (i < n) {
        const double spread = i * 0.6180339887498949;
        angle[i] = copysignf(atan(0.2 + 0.6 * (spread - floor(spread))), y[i]);
    }
}
