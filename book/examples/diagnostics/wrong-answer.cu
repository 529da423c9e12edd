__device__ const int PREDICTED[6] = {1, 2, 3, 4, 8, 16};

extern "C" __global__ void stride(const float* in, float* out, int* predicted, int s, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 6) {
        predicted[i] = PREDICTED[i];
    }
    if (i < n) {
        out[i] = in[i] * in[i];
    }
}
