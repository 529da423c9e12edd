// loads_in_flight | chapter 11 | "Loads that overlap"
//
// Goal    whenever a warp waits for a load, keep at least 5 of its loads in flight.
//
// item    [n]      int, read only: the product of an order, 0 <= item[i] < products
// amount  [n]      f32, read only: the number of pieces in an order
// price   [products]  f32, read only
// total   [n]      f32, total[i] = price[item[i]] * amount[i], every element written by one thread
// n       count    any n >= 1
// launch  1-D, blocks of 256 threads; each thread processes many orders
//
// The kernel is right, but a thread waits twice for every order: for its product, and then for the
// price. Change the kernel so that a thread loads the data of several orders before it uses any.
//
// Run     cargo checker check loads_in_flight  Stuck?  cargo checker hint loads_in_flight

extern "C" __global__ void loads_in_flight(const int* item, const float* amount, const float* price,
                                           float* total, int n) {
    const int threads = gridDim.x * blockDim.x;

    // TODO: process several orders in each iteration, and issue their loads before you use a value.
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        total[i] = price[item[i]] * amount[i];
    }
}
