// add_one | chapter 1 | "Which element is mine?"
//
// Goal    compute out = a + 1, element by element, with one thread for each element.
//
// a       [n]  f32, read only
// out     [n]  f32, every element must be written
// launch  1 block of n threads: exactly as many threads as elements
//
// Run     cargo checker check add_one          Stuck?  cargo checker hint add_one

extern "C" __global__ void add_one(const float* a, float* out) {
    // TODO 1: which element is mine?
    //         threadIdx.x counts the threads of the block from 0.

    // TODO 2: store that element of a, plus one, in the same element of out.
}
