// Eight orders in each iteration, with a condition around each load instead of a second loop.

constexpr int ORDERS = 8;

extern "C" __global__ void loads_in_flight(const int* item, const float* amount, const float* price,
                                           float* total, int n) {
    const int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += ORDERS * threads) {
        int items[ORDERS];
        float amounts[ORDERS], prices[ORDERS];
        for (int k = 0; k < ORDERS; ++k) {
            items[k] = 0;
            amounts[k] = 0.0f;
            if (i + k * threads < n) {
                items[k] = item[i + k * threads];
                amounts[k] = amount[i + k * threads];
            }
        }
        for (int k = 0; k < ORDERS; ++k) {
            prices[k] = i + k * threads < n ? price[items[k]] : 0.0f;
        }
        for (int k = 0; k < ORDERS; ++k) {
            if (i + k * threads < n) {
                total[i + k * threads] = prices[k] * amounts[k];
            }
        }
    }
}
