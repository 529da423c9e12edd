// Compare and swap, which hardware without atomic additions of a type needs.

__device__ void add(float* address, float value) {
    int* bits = reinterpret_cast<int*>(address);
    int seen = atomicAdd(bits, 0), expected;
    do {
        expected = seen;
        seen = atomicCAS(bits, expected, __float_as_int(__int_as_float(expected) + value));
    } while (seen != expected);
}

extern "C" __global__ void embedding_grad(const int* token, const float* grad, float* table, int n,
                                          int dim) {
    if (blockIdx.x < n) {
        for (int d = threadIdx.x; d < dim; d += 128) {
            add(&table[token[blockIdx.x] * dim + d], grad[blockIdx.x * dim + d]);
        }
    }
}
