// The compiler unrolls the loop. It may move loads before stores, because the arrays don't overlap.

extern "C" __global__ void loads_in_flight(const int* __restrict__ item, const float* __restrict__ amount,
                                           const float* __restrict__ price, float* __restrict__ total, int n) {
    const int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        total[i] = price[item[i]] * amount[i];
    }
}
