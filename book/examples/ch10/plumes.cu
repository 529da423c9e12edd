// Simulates water in sand that's heated from below. Warm water rises.
#include <cstdio>

// ANCHOR: kernel
constexpr int ROWS = 16, COLS = 48;
constexpr float BUOYANCY = 10.0f;  // how strongly heat drives the flow
constexpr float DT = 0.2f;

struct State {
    float* heat;    // [ROWS][COLS], from 0 (cold) to 1 (hot)
    float* stream;  // [ROWS][COLS], water flows along its contour lines
};

__global__ void step(State now, State next) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row == 0 || row >= ROWS - 1 || col >= COLS) {
        return;  // row 0 stays cold, and the last row stays hot
    }
    int here = row * COLS + col;
    int west = row * COLS + (col + COLS - 1) % COLS;
    int east = row * COLS + (col + 1) % COLS;
    int north = here - COLS;
    int south = here + COLS;

    const float* s = now.stream;
    float right = 0.5f * (s[south] - s[north]);                   // (1)
    float down = -0.5f * (s[east] - s[west]);

    const float* h = now.heat;
    float slope_x = 0.5f * (h[east] - h[west]);
    float slope_y = 0.5f * (h[south] - h[north]);
    float spread = h[west] + h[east] + h[north] + h[south] - 4.0f * h[here];
    next.heat[here] =
        h[here] + DT * (spread - right * slope_x - down * slope_y);  // (2)

    float around = s[west] + s[east] + s[north] + s[south];
    next.stream[here] = 0.25f * (around - BUOYANCY * slope_x);    // (3)
}
// ANCHOR_END: kernel

int main() {
    constexpr size_t BYTES = ROWS * COLS * sizeof(float);
    static float heat[ROWS][COLS], stream[ROWS][COLS];
    for (int row = 0; row < ROWS; ++row) {
        for (int col = 0; col < COLS; ++col) {
            heat[row][col] = float(row) / (ROWS - 1);
        }
    }
    heat[ROWS / 2][COLS / 3] += 0.2f;  // a small disturbance

    State states[2];
    for (State& state : states) {
        cudaMalloc(&state.heat, BYTES);
        cudaMalloc(&state.stream, BYTES);
        cudaMemcpy(state.heat, heat, BYTES, cudaMemcpyHostToDevice);
        cudaMemcpy(state.stream, stream, BYTES, cudaMemcpyHostToDevice);
    }

    // ANCHOR: steps
    dim3 block(16, 16);
    dim3 grid(COLS / 16, ROWS / 16);
    int now = 0;
    for (int i = 0; i < 800; ++i) {
        step<<<grid, block>>>(states[now], states[1 - now]);
        now = 1 - now;
    }
    // ANCHOR_END: steps

    cudaMemcpy(heat, states[now].heat, BYTES, cudaMemcpyDeviceToHost);
    for (auto& row : heat) {
        for (float value : row) {
            int shade = int(9.99f * fminf(fmaxf(value, 0.0f), 1.0f));
            printf("%c", " .:-=+*#%@"[shade]);
        }
        printf("\n");
    }
    for (State& state : states) {
        cudaFree(state.stream);
        cudaFree(state.heat);
    }
}
