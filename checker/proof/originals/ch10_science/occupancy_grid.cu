// occupancy_grid | chapter 10 | "Free, or occupied?"
//
// Goal    update a robot's map with one scan. A ray with an echo adds HIT to the cell at its end.
//         Each ray also adds FREE to every other cell that contains one of its points,
//         but only once for each cell. Its points are at the distances 0, STEP, 2 * STEP, ... that
//         are less than its range.
//
// angles     [rays]  f32, read only, in radians; 0 points to the right, pi / 2 to higher rows
// ranges     [rays]  f32, read only, in cells; max_range if there's no echo (and no end cell)
// odds       [rows][cols]  i32, the map so far, which is updated
// x, y       position of the sensor; cell (row, col) covers col <= x < col + 1, row <= y < row + 1
// max_range  how far the sensor sees, in cells
// launch     a thread for each ray, in blocks of any size; the last block may not be full
//
// Parts of a ray may be outside the map. cell_of returns -1 for them.
//
// Run     cargo checker check occupancy_grid   Stuck?  cargo checker hint occupancy_grid

constexpr float STEP = 0.5f;
constexpr int FREE = -40, HIT = 85;  // hundredths of log-odds

// The index of the cell at (x, y), or -1 outside the map.
__device__ int cell_of(float x, float y, int rows, int cols) {
    const int col = floorf(x), row = floorf(y);
    const bool inside = row >= 0 && row < rows && col >= 0 && col < cols;
    return inside ? row * cols + col : -1;
}

extern "C" __global__ void occupancy_grid(const float* angles, const float* ranges, int* odds,
                                          int rays, int rows, int cols, float x, float y,
                                          float max_range) {
    const int ray = blockIdx.x * blockDim.x + threadIdx.x;

    if (ray < rays) {
        const float cosine = cosf(angles[ray]), sine = sinf(angles[ray]);
        const float range = ranges[ray];

        // TODO 1: which cell is at the end of the ray, if there was an echo?

        // TODO 2: walk along the ray and add FREE to its cells. Two points of a ray may be in the
        //         same cell, and other rays cross the same cells at the same time.

        // TODO 3: add HIT to the cell at the end.
    }
}
