// structs_soa | chapter 3 | "Arrays of structs, structs of arrays"
//
// Goal    rotate all points about the z axis and lift them, `steps` times, with at most 4.5 sectors
//         of 32 bytes per request. Copy only x, y and z to the device and back.
//
// points  [n][8]  f32, in the host's memory, read only: all 8 fields of point 0, then those of
//                 point 1, and so on
// c, s    numbers: cosine and sine of the angle of one step
// lift    a number that each step adds to z
// out     [n][3]  f32, in the host's memory, every element must be written: x, y, z of each point
// n       count   any n >= 1
// steps   count   any steps >= 1; one launch for each step
//
// This program is right but wasteful. Its kernel works on an array of structs of 32 bytes each, but
// it needs only three of the eight fields, so most of the bytes that a warp transfers are useless.
// Give the kernel an array for each field that it needs. The host's arrays keep their layout, so
// rearrange the data before the first launch and after the last one.
//
// Run     cargo checker check structs_soa      Stuck?  cargo checker hint structs_soa

#include <vector>

// A point that a laser scanner has measured.
struct Point {
    float x, y, z;
    float red, green, blue;
    float brightness, time;
};
static_assert(sizeof(Point) == 32, "eight floats, and no padding");

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

    std::vector<Point> turned(n);
    cudaMemcpy(turned.data(), d_points, bytes, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) {
        out[3 * i] = turned[i].x;
        out[3 * i + 1] = turned[i].y;
        out[3 * i + 2] = turned[i].z;
    }
    cudaFree(d_points);
}
