// Rays through a volume: a 3-D texture, filtered in all three directions, added up along each ray.
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

constexpr int N = 16, RAYS = 24, STEPS = 40;

__global__ void project(cudaTextureObject_t volume, float* out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= RAYS || y >= RAYS) {
        return;
    }
    float sum = 0;
    for (int step = 0; step < STEPS; ++step) {
        const float t = (step + 0.5f) / STEPS;
        sum += tex3D<float>(volume, (x + 0.5f) / RAYS + 0.25f * t, (y + 0.5f) / RAYS, t);
    }
    out[y * RAYS + x] = sum / STEPS;
}

int main() {
    // bytes, read as fractions of 255
    std::vector<unsigned char> host(N * N * N);
    for (int z = 0; z < N; ++z) {
        for (int y = 0; y < N; ++y) {
            for (int x = 0; x < N; ++x) {
                const int dx = 2 * x - N + 1, dy = 2 * y - N + 1, dz = 2 * z - N + 1;
                host[(z * N + y) * N + x] = dx * dx + dy * dy + dz * dz < N * N ? 200 : 10;
            }
        }
    }
    cudaArray_t array;
    const cudaChannelFormatDesc texel = cudaCreateChannelDesc<unsigned char>();
    const cudaExtent extent = make_cudaExtent(N, N, N);
    CHECK(cudaMalloc3DArray(&array, &texel, extent));
    cudaMemcpy3DParms copy{};
    copy.srcPtr = make_cudaPitchedPtr(host.data(), N, N, N);
    copy.dstArray = array;
    copy.extent = extent;
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));

    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how{};
    how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = cudaAddressModeWrap;
    how.filterMode = cudaFilterModeLinear;
    how.readMode = cudaReadModeNormalizedFloat;
    how.normalizedCoords = 1;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    float* out;
    std::vector<float> result(RAYS * RAYS);
    CHECK(cudaMalloc(&out, RAYS * RAYS * sizeof(float)));
    project<<<dim3(3, 3), dim3(8, 8)>>>(texture, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(result.data(), out, RAYS * RAYS * sizeof(float), cudaMemcpyDeviceToHost));
    for (int y = 0; y < RAYS; y += 6) {
        for (int x = 0; x < RAYS; x += 6) {
            printf("%.2f ", result[y * RAYS + x]);
        }
        printf("\n");
    }
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(out));
}
