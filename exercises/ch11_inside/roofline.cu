// roofline | chapter 11 | "The roofline"
//
// Goal    first predict how much work kernels do for each byte. Then load and store every element
//         only once.
//
// in         [n]  f32, read only
// out        [n]  f32, out[i] = (3 * in[i] - 1)^2, every element written by one thread
// predicted  [6]  int, the kernel copies your predictions into it
// n          count  any n >= 1
// launch     1-D, blocks of 256 threads; each thread processes many elements
//
// The kernel is right, but it goes through the array three times. If a kernel does few operations
// for each byte, its time depends mainly on the bytes that it moves.
//
// Run     cargo checker check roofline         Stuck?  cargo checker hint roofline

// TODO 1: predict. Assume that a GPU reads or writes 3000 GB in a second. With fused multiply-adds,
//         it does 60 000 billion operations (additions and multiplications) on floats in a second.
__device__ const int PREDICTED[6] = {
    0,  // bytes that the original kernel loads and stores for each element
    0,  // operations of the original kernel for each element
    0,  // bytes for each element if the kernel loads and stores every element once
    0,  // operations for each element then
    0,  // the number of operations that this GPU can do in the time in which it moves one byte
    0,  // y = y * x + c does two operations. A kernel loads and stores each element once. How many
        // of these lines can it execute for each element until it's compute-bound?
};

extern "C" __global__ void roofline(const float* in, float* out, int* predicted, int n) {
    const int me = blockIdx.x * blockDim.x + threadIdx.x;
    const int threads = gridDim.x * blockDim.x;
    if (me < 6) {
        predicted[me] = PREDICTED[me];
    }

    // TODO 2: merge the three loops into one that loads and stores each element once.
    for (int i = me; i < n; i += threads) {
        out[i] = 3.0f * in[i];
    }
    for (int i = me; i < n; i += threads) {
        out[i] = out[i] - 1.0f;
    }
    for (int i = me; i < n; i += threads) {
        out[i] = out[i] * out[i];
    }
}
