// structs_soa | chapter 3 | "Arrays of structs, structs of arrays"
//
// Goal    rotate all points about the z axis and lift them, `steps` times, with at most 4.5 sectors
//         of 32 bytes per request.
//
// points  [n][3]  f32, in the host's memory, read only: x, y, z of point 0, of point 1, and so on
// c, s    numbers: cosine and sine of the angle of one step
// lift    a number that each step adds to z
// out     [n][3]  f32, in the host's memory, every element must be written; same layout as points
// n       count   any n >= 1
// steps   count   any steps >= 1; one launch for each step
//
// This program is right but wasteful. Its kernel works on an array of structs of 12 bytes each, so
// a warp that loads `x` transfers y and z as well. Give the kernel an array for each field instead.
// The host's layout stays, so rearrange the data before the first launch and after the last one.
//
// Run     cargo checker check structs_soa      Stuck?  cargo checker hint structs_soa

#include <vector>

struct Point {
    float x, y, z;
};
static_assert(sizeof(Point) == 12, "three floats, and no padding");

__global__ void turn(Point* points, float c, float s, float lift, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        const float x = points[idx].x;
        const float y = points[idx].y;
        points[idx].x = c * x - s * y;
        points[idx].y = s * x + c * y;
        points[idx].z += lift;
    }
}

extern "C" void structs_soa(const float* points, float c, float s, float lift, float* out, int n,
                            int steps) {
    const size_t bytes = n * sizeof(Point);
    Point* d_points = nullptr;
    cudaMalloc(&d_points, bytes);
    cudaMemcpy(d_points, points, bytes, cudaMemcpyHostToDevice);

    const int block = 256;
    const int grid = (n + block - 1) / block;
    for (int step = 0; step < steps; step++) {
        turn<<<grid, block>>>(d_points, c, s, lift, n);
    }

    cudaMemcpy(out, d_points, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_points);
}
