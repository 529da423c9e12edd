// convection | chapter 10 | "Read the old, write the new"
//
// Goal    simulate dye in water. The water flows to the right and down, and the dye spreads. In a
//         step, each cell loses a share of its dye and gains shares of its neighbours' dye:
//             new = own + right * (west - own) + down * (north - own)
//                       + spread * (west + east + north + south - 4 own)
//         Compute `steps` steps, with one launch for each step and no copy between the launches.
//
// in      [rows][cols]  f32, in the host's memory, read only
// out     [rows][cols]  f32, in the host's memory: the dye after the last step. Beyond an edge,
//                       the water continues at the opposite edge, so no dye is lost.
// right, down, spread   shares of a cell's dye that move in one step
// rows, cols, steps     counts; with 0 steps, out equals in
//
// The formula and the host's calls are right. However, dye vanishes in some cells and appears from
// nowhere in others.
//
// Run     cargo checker check convection       Stuck?  cargo checker hint convection

constexpr int BLOCK_X = 32;
constexpr int BLOCK_Y = 8;

__global__ void step(float* dye, int rows, int cols, float right, float down, float spread) {
    const int col = blockIdx.x * BLOCK_X + threadIdx.x;
    const int row = blockIdx.y * BLOCK_Y + threadIdx.y;

    if (row < rows && col < cols) {
        const float own = dye[row * cols + col];
        const float west = dye[row * cols + (col + cols - 1) % cols];
        const float east = dye[row * cols + (col + 1) % cols];
        const float north = dye[(row + rows - 1) % rows * cols + col];
        const float south = dye[(row + 1) % rows * cols + col];

        dye[row * cols + col] = own + right * (west - own) + down * (north - own) +
                                spread * (west + east + north + south - 4.0f * own);
    }
}

extern "C" void convection(const float* in, float* out, int rows, int cols, float right, float down,
                           float spread, int steps) {
    const size_t bytes = size_t(rows) * cols * sizeof(float);
    float* dye = nullptr;
    cudaMalloc(&dye, bytes);
    cudaMemcpy(dye, in, bytes, cudaMemcpyHostToDevice);

    const dim3 block(BLOCK_X, BLOCK_Y);
    const dim3 grid((cols + BLOCK_X - 1) / BLOCK_X, (rows + BLOCK_Y - 1) / BLOCK_Y);
    for (int i = 0; i < steps; ++i) {
        step<<<grid, block>>>(dye, rows, cols, right, down, spread);
    }

    cudaMemcpy(out, dye, bytes, cudaMemcpyDeviceToHost);
    cudaFree(dye);
}
