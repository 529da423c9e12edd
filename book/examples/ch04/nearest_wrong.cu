#include <cmath>
#include <cstdio>

// ANCHOR: kernel
constexpr int BLOCK = 128;  // threads of a block, and points of a tile

// distance[i] = the distance from point i to the closest other point
__global__ void nearest(const float2* points, float* distance, int n) {
    __shared__ float2 tile[BLOCK];

    int tid = threadIdx.x;
    int idx = blockIdx.x * BLOCK + tid;
    float2 mine = idx < n ? points[idx] : make_float2(0.0f, 0.0f);
    float best = INFINITY;

    for (int first = 0; first < n; first += BLOCK) {
        if (first + tid < n) {
            tile[tid] = points[first + tid];  // is it still being read?
        }
        __syncthreads();

        int filled = min(BLOCK, n - first);
        for (int k = 0; k < filled; ++k) {
            float dx = tile[k].x - mine.x;
            float dy = tile[k].y - mine.y;
            if (first + k != idx) {
                best = fminf(best, dx * dx + dy * dy);
            }
        }
    }

    if (idx < n) {
        distance[idx] = sqrtf(best);
    }
}
// ANCHOR_END: kernel

int main() {
    constexpr int n = 1000;
    float2 points[n];
    float distance[n];
    for (int i = 0; i < n; ++i) {
        // spread over a square of 32 x 32, a little off the grid
        points[i] = make_float2(i % 32 + 0.25f * (i % 3),
                                i / 32 + 0.25f * (i % 5));
    }

    float2* d_points;
    float* d_distance;
    cudaMalloc(&d_points, sizeof(points));
    cudaMalloc(&d_distance, sizeof(distance));
    cudaMemcpy(d_points, points, sizeof(points), cudaMemcpyHostToDevice);

    nearest<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_points, d_distance, n);

    cudaMemcpy(distance, d_distance, sizeof(distance),
               cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; i += 100) {  // check every hundredth point
        float best = INFINITY;
        for (int k = 0; k < n; ++k) {
            float dx = points[k].x - points[i].x;
            float dy = points[k].y - points[i].y;
            best = k == i ? best : fminf(best, dx * dx + dy * dy);
        }
        wrong += std::fabs(distance[i] - std::sqrt(best)) > 1e-6f;
    }
    printf("point 500: the nearest is %.3f away\n", distance[500]);
    printf("10 distances checked: %d wrong\n", wrong);

    cudaFree(d_distance);
    cudaFree(d_points);
}
