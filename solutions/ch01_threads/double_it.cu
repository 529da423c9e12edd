// Idea    one thread, one element: x is the column, y the row; row * cols elements lie before it.
// Work    one load, one multiplication and one store for each element.
// Notice  there is no loop over the elements, because each one has its own thread.

extern "C" __global__ void double_it(const float* a, float* out, int cols) {
    const int col = threadIdx.x;       // 0 .. cols-1
    const int row = threadIdx.y;       // 0 .. rows-1
    const int idx = row * cols + col;  // 0 .. rows*cols-1

    out[idx] = 2.0f * a[idx];
}
