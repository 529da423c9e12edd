// double_it | chapter 1 | "Rows and columns in memory"
//
// Goal    compute out = 2 * a, element by element, with one thread for each element.
//
// a       [rows][cols]  f32, read only; row after row in memory
// out     [rows][cols]  f32, every element must be written
// cols    count         elements in one row
// launch  1 block, cols threads wide (x) and rows threads high (y), so no thread is left over
//
// Run     cargo checker check double_it        Stuck?  cargo checker hint double_it

extern "C" __global__ void double_it(const float* a, float* out, int cols) {
    // TODO 1: which column and which row are mine?
    //         threadIdx.x runs along the width of the block, threadIdx.y along its height.

    // TODO 2: how many elements lie before mine in memory? Call that number idx.

    // TODO 3: what belongs in out[idx]?
}
