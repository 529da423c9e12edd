// A thread loads the products and amounts of four orders, then their four prices, and uses the
// values only then. So it waits only twice for four orders, instead of eight times.

constexpr int ORDERS = 4;  // orders that a thread processes at the same time

extern "C" __global__ void loads_in_flight(const int* item, const float* amount, const float* price,
                                           float* total, int n) {
    const int threads = gridDim.x * blockDim.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    for (; i + (ORDERS - 1) * threads < n; i += ORDERS * threads) {
        int items[ORDERS];
        float amounts[ORDERS], prices[ORDERS];
        for (int k = 0; k < ORDERS; ++k) {
            items[k] = item[i + k * threads];
            amounts[k] = amount[i + k * threads];
        }
        for (int k = 0; k < ORDERS; ++k) {
            prices[k] = price[items[k]];
        }
        for (int k = 0; k < ORDERS; ++k) {
            total[i + k * threads] = prices[k] * amounts[k];
        }
    }
    for (; i < n; i += threads) {  // fewer than four are left for this thread
        total[i] = price[item[i]] * amount[i];
    }
}
