// Relaxed atomic additions of the standard library, and a thread for each element.

#include <cuda/atomic>

extern "C" __global__ void embedding_grad(const int* token, const float* grad, float* table, int n,
                                          int dim) {
    const int threads = gridDim.x * blockDim.x;
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n * dim; k += threads) {
        float& element = table[token[k / dim] * dim + k % dim];
        cuda::atomic_ref<float, cuda::thread_scope_device> sum(element);
        sum.fetch_add(grad[k], cuda::memory_order_relaxed);
    }
}
