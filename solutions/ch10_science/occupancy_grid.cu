// With log-odds, the evidence of many rays is a sum of integers. It doesn't depend on the order of
// the additions, so each ray can have its own thread if the additions are atomic. A ray has
// two points for each unit of its length, and takes one atomic addition for each cell that it
// crosses. It's straight and never returns to a cell that it has left, so to count each cell once,
// it's enough to compare each point's cell with the previous point's cell.

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

        int end = -1;
        if (range < max_range) {
            end = cell_of(x + range * cosine, y + range * sine, rows, cols);
        }

        int before = -1;
        for (int k = 0; k * STEP < range; ++k) {
            const float distance = k * STEP;
            const int cell = cell_of(x + distance * cosine, y + distance * sine, rows, cols);
            if (cell >= 0 && cell != before && cell != end) {
                atomicAdd(&odds[cell], FREE);
            }
            before = cell;
        }

        if (end >= 0) {
            atomicAdd(&odds[end], HIT);
        }
    }
}
