// The blocks of all positions with the same word add to the same row. With `atomicAdd`, no other
// thread can change an element between the load and the store of an addition. The threads of one
// block have different columns, so they never wait for each other, but only for other blocks.

extern "C" __global__ void embedding_grad(const int* token, const float* grad, float* table, int n,
                                          int dim) {
    const int i = blockIdx.x;  // the block's position in the text
    if (i >= n) {
        return;
    }
    const float* mine = grad + size_t(i) * dim;   // the gradient at this position
    float* row = table + size_t(token[i]) * dim;  // the row of its word

    for (int d = threadIdx.x; d < dim; d += blockDim.x) {
        atomicAdd(&row[d], mine[d]);
    }
}
