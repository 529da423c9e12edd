// Smooths measurements with a Gaussian weight for each distance in time.
#include <cmath>
#include <cstdio>
#include <vector>

// ANCHOR: kernel
// out[i] = the mean of the values, each weighted by exp(-(distance in time)^2)
__global__ void smooth(const float* at, const float* time, const float* value,
                       float* out, int points, int n) {
    __shared__ float times[64], values[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float mine = i < points ? at[i] : 0.0f;

    float greatest = -1e30f, sum = 0.0f, total = 0.0f;
    for (int first = 0; first < n; first += 64) {
        __syncthreads();
        int j = first + threadIdx.x;                          // (1)
        if (threadIdx.x < 64 && j < n) {
            times[threadIdx.x] = time[j];
            values[threadIdx.x] = value[j];
        }
        __syncthreads();
        for (int k = 0; k < min(64, n - first); ++k) {
            float distance = mine - times[k];
            float score = -distance * distance;
            if (score > greatest) {                           // (2)
                float factor = expf(greatest - score);
                sum *= factor;
                total *= factor;
                greatest = score;
            }
            float weight = expf(score - greatest);            // (3)
            sum += weight;
            total += weight * values[k];
        }
    }
    if (i < points) {
        out[i] = total / sum;                                 // (4)
    }
}
// ANCHOR_END: kernel

int main() {
    const int n = 1000, points = 5;
    std::vector<float> time(n), value(n);
    for (int j = 0; j < n; ++j) {
        time[j] = j * 0.01f;
        value[j] = 100 + time[j] + (j % 7 - 3);  // a line, and some noise
    }
    // the last point is 20 seconds after the last measurement
    float at[points] = {2, 4, 6, 8, 30}, smoothed[points];
    float *d_at, *d_time, *d_value, *d_out;
    cudaMalloc(&d_at, sizeof(at));
    cudaMalloc(&d_out, sizeof(at));
    cudaMalloc(&d_time, n * sizeof(float));
    cudaMalloc(&d_value, n * sizeof(float));
    cudaMemcpy(d_at, at, sizeof(at), cudaMemcpyHostToDevice);
    cudaMemcpy(d_time, time.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_value, value.data(), n * sizeof(float),
               cudaMemcpyHostToDevice);
    smooth<<<1, 128>>>(d_at, d_time, d_value, d_out, points, n);
    cudaMemcpy(smoothed, d_out, sizeof(at), cudaMemcpyDeviceToHost);
    for (int i = 0; i < points; ++i) {
        printf("at %4.1f s: %.2f\n", at[i], smoothed[i]);
    }
    cudaFree(d_at);
    cudaFree(d_time);
    cudaFree(d_value);
    cudaFree(d_out);
}
