// An image rotated by 30 degrees, read through a bilinear texture with three address modes.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                     \
    do {                                                                                \
        const cudaError_t code = (call);                                                \
        if (code != cudaSuccess) {                                                      \
            printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(code));        \
            exit(1);                                                                    \
        }                                                                               \
    } while (0)

__global__ void rotate(cudaTextureObject_t image, float* out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    const float sine = 0.5f, cosine = 0.8660254f;
    const float u = x / static_cast<float>(width) - 0.5f, v = y / static_cast<float>(height) - 0.5f;
    out[y * width + x] = tex2D<float>(image, u * cosine - v * sine + 0.5f, u * sine + v * cosine + 0.5f);
}

int main() {
    const int width = 64, height = 48;
    std::vector<float> image(width * height), result(width * height);
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            image[y * width + x] = ((x / 8 + y / 8) % 2) * 100.0f + x;
        }
    }
    cudaArray_t array;
    const cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocArray(&array, &texel, width, height));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, image.data(), width * sizeof(float), width * sizeof(float), height, cudaMemcpyHostToDevice));

    cudaChannelFormatDesc asked{};
    cudaExtent extent{};
    unsigned flags = 99;
    CHECK(cudaArrayGetInfo(&asked, &extent, &flags, array));
    printf("%d %d %d %d bits, %zu x %zu x %zu, flags %u\n", asked.x, asked.y, asked.z, asked.w, extent.width, extent.height, extent.depth, flags);

    float* out;
    CHECK(cudaMalloc(&out, width * height * sizeof(float)));
    const cudaTextureAddressMode modes[] = {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeBorder, cudaAddressModeMirror};
    for (const cudaTextureAddressMode mode : modes) {
        cudaResourceDesc resource{};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
        cudaTextureDesc how{};
        how.addressMode[0] = how.addressMode[1] = mode;
        how.filterMode = cudaFilterModeLinear;
        how.normalizedCoords = 1;
        how.borderColor[0] = 5.0f;
        cudaTextureObject_t texture = 0;
        CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
        const dim3 block(16, 8), grid((width + 15) / 16, (height + 7) / 8);
        rotate<<<grid, block>>>(texture, out, width, height);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(result.data(), out, width * height * sizeof(float), cudaMemcpyDeviceToHost));
        double sum = 0;
        for (float v : result) {
            sum += v;
        }
        printf("mode %d: %.4f %.4f %.4f, sum %.1f\n", mode, result[0], result[24 * width + 32], result[5 * width + 60], sum);
        CHECK(cudaDestroyTextureObject(texture));
    }
    CHECK(cudaFree(out));
    CHECK(cudaFreeArray(array));
}
