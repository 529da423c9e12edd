// Three images in the layers of one array, filled by cudaMemcpy3D, and blended by a kernel that reads them as a texture.
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

constexpr int W = 20, H = 12, LAYERS = 3;

__global__ void blend(cudaTextureObject_t images, int* out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H) {
        return;
    }
    int sum = 0;
    for (int layer = 0; layer < LAYERS; ++layer) {
        const uchar4 texel = tex2DLayered<uchar4>(images, x + 0.5f, y + 0.5f, layer);
        sum += (layer + 1) * (texel.x + 2 * texel.y + 3 * texel.z + 4 * texel.w);
    }
    out[y * W + x] = sum;
}

int main() {
    std::vector<uchar4> host(W * H * LAYERS);
    for (int i = 0; i < W * H * LAYERS; ++i) {
        host[i] = uchar4{static_cast<unsigned char>(i), static_cast<unsigned char>(i * 3), static_cast<unsigned char>(i * 5), static_cast<unsigned char>(i * 7)};
    }
    cudaArray_t array;
    const cudaChannelFormatDesc texel = cudaCreateChannelDesc<uchar4>();
    CHECK(cudaMalloc3DArray(&array, &texel, make_cudaExtent(W, H, LAYERS), cudaArrayLayered));
    for (int layer = 0; layer < LAYERS; ++layer) {
        cudaMemcpy3DParms copy{};
        copy.srcPtr = make_cudaPitchedPtr(host.data() + layer * W * H, W * sizeof(uchar4), W, H);
        copy.dstArray = array;
        copy.dstPos = make_cudaPos(0, 0, layer);
        copy.extent = make_cudaExtent(W, H, 1);
        copy.kind = cudaMemcpyHostToDevice;
        CHECK(cudaMemcpy3D(&copy));
    }
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how{};
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    int* out;
    std::vector<int> result(W * H);
    CHECK(cudaMalloc(&out, W * H * sizeof(int)));
    blend<<<dim3((W + 7) / 8, (H + 7) / 8), dim3(8, 8)>>>(texture, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(result.data(), out, W * H * sizeof(int), cudaMemcpyDeviceToHost));
    int right = 0;
    for (int i = 0; i < W * H; ++i) {
        int sum = 0;
        for (int layer = 0; layer < LAYERS; ++layer) {
            const uchar4 t = host[layer * W * H + i];
            sum += (layer + 1) * (t.x + 2 * t.y + 3 * t.z + 4 * t.w);
        }
        right += sum == result[i];
    }
    printf("%d of %d right, first %d, last %d\n", right, W * H, result[0], result[W * H - 1]);

    // back again, the whole array in one copy
    std::vector<uchar4> again(W * H * LAYERS);
    cudaMemcpy3DParms back{};
    back.srcArray = array;
    back.dstPtr = make_cudaPitchedPtr(again.data(), W * sizeof(uchar4), W, H);
    back.extent = make_cudaExtent(W, H, LAYERS);
    back.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&back));
    int same = 0;
    for (int i = 0; i < W * H * LAYERS; ++i) {
        same += again[i].x == host[i].x && again[i].w == host[i].w;
    }
    printf("%d of %d back\n", same, W * H * LAYERS);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFree(out));
    CHECK(cudaFreeArray(array));
}
