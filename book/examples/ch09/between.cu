// Prints a texture's values at its four texels' centres and in between.
#include <cstdio>

// ANCHOR: kernel
__global__ void fetch_row(cudaTextureObject_t row, float* out, int n) {
    int i = threadIdx.x;
    if (i < n) {
        out[i] = tex2D<float>(row, 0.5f * i, 0.5f);  // x = 0, 0.5, 1 ...
    }
}
// ANCHOR_END: kernel

int main() {
    constexpr int N = 9;
    float texels[4] = {10, 20, 30, 40};
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array = nullptr;
    cudaMallocArray(&array, &format, 4, 1);
    cudaMemcpy2DToArray(array, 0, 0, texels, sizeof texels,
                        sizeof texels, 1, cudaMemcpyHostToDevice);
    float* d_out = nullptr;
    cudaMalloc(&d_out, N * sizeof(float));

    printf("x      ");
    for (int i = 0; i < N; ++i) {
        printf("%5.1f", 0.5f * i);
    }
    for (int clamp = 0; clamp < 2; ++clamp) {
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
        cudaTextureDesc how = {};
        how.addressMode[0] = how.addressMode[1] =
            clamp ? cudaAddressModeClamp : cudaAddressModeBorder;
        how.filterMode = cudaFilterModeLinear;
        cudaTextureObject_t row = 0;
        cudaCreateTextureObject(&row, &resource, &how, nullptr);

        fetch_row<<<1, 32>>>(row, d_out, N);

        float out[N];
        cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
        printf("\n%s ", clamp ? "clamp " : "border");
        for (float value : out) {
            printf("%5.1f", value);
        }
        cudaDestroyTextureObject(row);
    }
    printf("\n");
    cudaFree(d_out);
    cudaFreeArray(array);
}
