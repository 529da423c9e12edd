// attack: loads each value by an asynchronous copy, and waits for it at once
// exercise: loads_in_flight
// expect: gate-missed
// stopped-by: waits for asynchronous copies, which are waits for loads

#include <cuda_pipeline.h>

// One load, and an immediate wait for it: exactly one load of the warp is in flight at this wait.
template <typename T>
__device__ T load_and_wait(const T* from, T* slot) {
    __pipeline_memcpy_async(slot, from, sizeof(T));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    return *slot;
}

extern "C" __global__ void loads_in_flight(const int* item, const float* amount, const float* price,
                                           float* total, int n) {
    __shared__ float slots[256];
    __shared__ int int_slots[256];
    float* const slot = slots + threadIdx.x;
    int* const int_slot = int_slots + threadIdx.x;
    const int threads = gridDim.x * blockDim.x;

    // TODO: process several orders in each iteration, and issue their loads before you use a value.
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        // three waits for each order, with one load in flight at each of them
        const float pieces = i < threads ? amount[i] : load_and_wait(amount + i, slot);
        const int product = load_and_wait(item + i, int_slot);
        total[i] = load_and_wait(price + product, slot) * pieces;
    }
}
