// Counts the questions in which two students agree. Each thread compares
// two students with two others.
#include <cstdio>

constexpr int QUESTIONS = 32;   // answers of a student, kept in shared memory
constexpr int SIDE = 16;        // threads along each side of a block
constexpr int TILE = 2 * SIDE;  // students along each side of a tile

// ANCHOR: kernel
__global__ void agree(const int* answers, int* same, int students) {
    __shared__ int a[QUESTIONS][TILE + 1], b[QUESTIONS][TILE + 1];
    const int first_a = blockIdx.y * TILE, first_b = blockIdx.x * TILE;
    const int tx = threadIdx.x, ty = threadIdx.y;

    for (int s = ty; s < TILE; s += SIDE) {
        for (int q = tx; q < QUESTIONS; q += SIDE) {
            a[q][s] = answers[(first_a + s) * QUESTIONS + q];     // (1)
            b[q][s] = answers[(first_b + s) * QUESTIONS + q];
        }
    }
    __syncthreads();

    int count[2][2] = {};                                         // (2)
    for (int q = 0; q < QUESTIONS; ++q) {
        const int a0 = a[q][ty], a1 = a[q][ty + SIDE];            // (3)
        const int b0 = b[q][tx], b1 = b[q][tx + SIDE];
        count[0][0] += a0 == b0;                                  // (4)
        count[0][1] += a0 == b1;
        count[1][0] += a1 == b0;
        count[1][1] += a1 == b1;
    }
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {                             // (5)
            const int row = first_a + ty + i * SIDE;
            same[row * students + first_b + tx + j * SIDE] = count[i][j];
        }
    }
}
// ANCHOR_END: kernel

int main() {
    const int students = 128;
    int *answers, *same;
    cudaMallocManaged(&answers, students * QUESTIONS * sizeof(int));
    cudaMallocManaged(&same, students * students * sizeof(int));
    for (int i = 0; i < students * QUESTIONS; ++i) {
        const unsigned hash = i * 2654435761u;
        answers[i] = (hash ^ hash >> 13) % 4;
    }

    const dim3 grid(students / TILE, students / TILE);
    agree<<<grid, dim3(SIDE, SIDE)>>>(answers, same, students);
    cudaDeviceSynchronize();
    printf("students 3 and 3: %d, 3 and 50: %d, 100 and 7: %d\n", same[3 * students + 3],
           same[3 * students + 50], same[100 * students + 7]);

    cudaFree(same);
    cudaFree(answers);
}
