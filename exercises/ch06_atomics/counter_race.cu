// counter_race | chapter 6 | "Many threads, one counter"
//
// Goal    add the number of elements above `limit` to hits[0], with one load request per warp.
//
// in      [n]    f32, read only
// hits    [1]    i32, read and changed: it already contains the count of earlier launches
// n       count  any n >= 1
// limit   f32    the kernel counts the elements that are greater than this
// launch  grid = ceil(n / block), block = 32, 96 or 256
//
// This kernel looks right, and with a single thread, it would be right. With many threads, the
// final value of hits[0] depends on chance.
//
// Run     cargo checker check counter_race     Stuck?  cargo checker hint counter_race

extern "C" __global__ void counter_race(const float* in, int* hits, int n, float limit) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;  // 0 .. grid*block-1

    if (idx < n && in[idx] > limit) {
        hits[0] += 1;
    }
}
