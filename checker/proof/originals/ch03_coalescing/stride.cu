// stride | chapter 3 | "Counting sectors"
//
// Goal    first predict how many sectors a stride costs. Then read every element with a stride of
//         1, with at most 4.5 sectors of 32 bytes per request.
//
// in         [n]    f32, read only
// out        [n]    f32, out[i] = in[i] * in[i], every element written by one thread
// predicted  [6]    int, the kernel copies your predictions into it
// s          count  the stride, which is the distance between neighbouring threads' elements
// n          count  any n >= 1
// launch     1-D, blocks of 128 or 256 threads, at least n + s threads
//
// The kernel is right for every s. It processes the elements in the order 0, s, 2s ..., then 1,
// s + 1, 2s + 1 ..., then 2, s + 2 and so on. Any other order gives the same result.
//
// Predict first. Then count the sectors of each stride: cargo checker profile stride --case 's = 3'
//
// Run     cargo checker check stride           Stuck?  cargo checker hint stride

// TODO 1: predict. In one load of in[i], the 32 threads of a warp load floats that are s floats
//         apart. How many sectors of 32 bytes does it move? The array begins at a sector's start.
__device__ const int PREDICTED[6] = {
    0,  // s = 1
    0,  // s = 2
    0,  // s = 3
    0,  // s = 4
    0,  // s = 8
    0,  // s = 16
};

extern "C" __global__ void stride(const float* in, float* out, int* predicted, int s, int n) {
    const int me = blockIdx.x * blockDim.x + threadIdx.x;  // 0 .. threads-1

    if (me < 6) {
        predicted[me] = PREDICTED[me];
    }

    // TODO 2: let neighbouring threads process neighbouring elements.
    const int in_a_row = (n + s - 1) / s;             // number of elements 0, s, 2s ...
    const int i = me % in_a_row * s + me / in_a_row;  // which element is mine
    if (me < in_a_row * s && i < n) {
        out[i] = in[i] * in[i];
    }
}
