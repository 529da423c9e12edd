// Applies any function of a row, which is (n) -> () in NumPy's notation.
#include <cstdio>

// ANCHOR: kernel
struct Row {                                                       // (1)
    const float* first;
    int length;
    __device__ float operator[](int i) const {
        return first[i];
    }
};

struct Roughness {
    __device__ float operator()(Row row) const {                   // (2)
        float sum = 0.0f;
        for (int i = 1; i < row.length; ++i) {
            sum += fabsf(row[i] - row[i - 1]);
        }
        return sum;
    }
};

template <typename Function>
__global__ void apply_to_rows(Function f, const float* in, float* out,
                              int rows, int length) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        out[row] = f(Row{in + size_t(row) * length, length});      // (3)
    }
}
// ANCHOR_END: kernel

int main() {
    const int rows = 100, length = 50;
    static float in[rows][length];
    float out[rows];
    for (int r = 0; r < rows; ++r) {
        for (int i = 0; i < length; ++i) {
            in[r][i] = i % (r + 2);
        }
    }
    float *d_in, *d_out;
    cudaMalloc(&d_in, sizeof in);
    cudaMalloc(&d_out, sizeof out);
    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);

    apply_to_rows<<<1, 128>>>(Roughness{}, d_in, d_out, rows, length);

    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    printf("%.0f %.0f %.0f ... %.0f\n", out[0], out[1], out[2], out[99]);
    cudaFree(d_out);
    cudaFree(d_in);
}
