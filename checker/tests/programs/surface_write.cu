// A kernel draws into an array through a surface; another reads what it drew through a texture; the host copies it out.
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

constexpr int W = 48, H = 32;

__global__ void draw(cudaSurfaceObject_t canvas) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < W && y < H) {
        const int2 texel{x * x + y, x - y * y};
        surf2Dwrite(texel, canvas, x * static_cast<int>(sizeof(int2)), y);
    }
}

__global__ void add_one(cudaSurfaceObject_t canvas) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < W && y < H) {
        int2 texel = surf2Dread<int2>(canvas, x * static_cast<int>(sizeof(int2)), y);
        texel.x += 1;
        surf2Dwrite(texel, canvas, x * static_cast<int>(sizeof(int2)), y);
    }
}

__global__ void add_up(cudaTextureObject_t canvas, unsigned long long* sums) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < W && y < H) {
        const int2 texel = tex2D<int2>(canvas, x + 0.5f, y + 0.5f);
        atomicAdd(&sums[0], static_cast<unsigned long long>(texel.x));
        atomicAdd(&sums[1], static_cast<unsigned long long>(static_cast<long long>(texel.y)));
    }
}

int main() {
    cudaArray_t array;
    const cudaChannelFormatDesc texel = cudaCreateChannelDesc<int2>();
    CHECK(cudaMallocArray(&array, &texel, W, H, cudaArraySurfaceLoadStore));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    const dim3 block(16, 4), grid(W / 16, H / 4);
    draw<<<grid, block>>>(surface);
    add_one<<<grid, block>>>(surface);
    CHECK(cudaGetLastError());

    std::vector<int2> host(W * H);
    CHECK(cudaMemcpy2DFromArray(host.data(), W * sizeof(int2), array, 0, 0, W * sizeof(int2), H, cudaMemcpyDeviceToHost));
    printf("%d %d, %d %d\n", host[0].x, host[0].y, host[W * H - 1].x, host[W * H - 1].y);
    int2 corner[4];
    CHECK(cudaMemcpy2DFromArray(corner, 2 * sizeof(int2), array, 10 * sizeof(int2), 20, 2 * sizeof(int2), 2, cudaMemcpyDeviceToHost));
    for (const int2& c : corner) {
        printf("%d %d\n", c.x, c.y);
    }

    cudaTextureDesc how{};
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    unsigned long long *sums, result[2];
    CHECK(cudaMalloc(&sums, sizeof result));
    CHECK(cudaMemset(sums, 0, sizeof result));
    add_up<<<grid, block>>>(texture, sums);
    CHECK(cudaMemcpy(result, sums, sizeof result, cudaMemcpyDeviceToHost));
    long long expected[2] = {0, 0};
    for (const int2& t : host) {
        expected[0] += t.x;
        expected[1] += t.y;
    }
    printf("sums %lld %lld, as on the host: %d\n", result[0], result[1],
           static_cast<long long>(result[0]) == expected[0] && static_cast<long long>(result[1]) == expected[1]);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaDestroySurfaceObject(surface));
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(sums));
}
