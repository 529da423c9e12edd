// {{name}} | chapter {{number}} | "The lesson's heading"
//
// Goal    copy a to out, element by element.
//
// a       [n]    f32, read only
// out     [n]    f32, every element must be written
// n       count  any n >= 1
// launch  grid = ceil(n / block), block = 256
//
// Run     cargo checker check {{name}}            Stuck?  cargo checker hint {{name}}

extern "C" __global__ void {{name}}(const float* a, float* out, int n) {
    // TODO 1: which element is mine?
}
