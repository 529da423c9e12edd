constexpr int SIDE = 32;
#define AT(matrix, width, r, c) ((matrix)[(r) * (width) + (c)])

// Uebung 4, Kapitel 4
extern "C" __global__ void tile_transpose(const float* in, float* out, int rows, int cols) {
    extern __shared__ float unused[];
    __shared__ float kachel[SIDE][SIDE + 1];
    int zeile = blockIdx.y * blockDim.y + threadIdx.y;
    int spalte = blockIdx.x * blockDim.x + threadIdx.x;
    int ok = zeile < rows;
    ok &= spalte < cols;
    if (ok) {
        float wert = AT(in, cols, zeile, spalte);
        kachel[threadIdx.y][threadIdx.x] = wert;
    }
    __syncthreads();
    // jetzt andersherum
    int neue_zeile = spalte - threadIdx.x + threadIdx.y;
    int neue_spalte = zeile - threadIdx.y + threadIdx.x;
    ok = neue_zeile < cols;
    ok &= neue_spalte < rows;
    if (!ok) return;
    AT(out, rows, neue_zeile, neue_spalte) = kachel[threadIdx.x][threadIdx.y];
}
