// embedding_grad | chapter 12 | "Gradients of a word"
//
// Goal    add grad[i][...] to row token[i] of the table for each position i, without losing any
//         addition.
//
// token   [n]            int, read only: the word at each position, 0 <= token[i] < words
// grad    [n][dim]       f32, read only
// table   [words][dim]   f32, the gradients of earlier texts, to which this kernel adds
// n       count          any n >= 1
// dim     count          any dim >= 1
// launch  one block of 128 threads for each position
//
// This kernel is right as long as no word occurs twice in the text.
//
// Run     cargo checker check embedding_grad   Stuck?  cargo checker hint embedding_grad

extern "C" __global__ void embedding_grad(const int* token, const float* grad, float* table, int n,
                                          int dim) {
    const int i = blockIdx.x;  // the block's position in the text
    if (i >= n) {
        return;
    }
    const float* mine = grad + size_t(i) * dim;   // the gradient at this position
    float* row = table + size_t(token[i]) * dim;  // the row of its word

    for (int d = threadIdx.x; d < dim; d += blockDim.x) {
        row[d] += mine[d];
    }
}
