// Textures of plain device memory: a table read by index, and rows with a pitch.
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

__global__ void look_up(cudaTextureObject_t table, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = tex1Dfetch<int>(table, (i * 13) % n);
    }
}

__global__ void shrink(cudaTextureObject_t image, float* out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        // between four texels: their mean
        out[y * width + x] = tex2D<float>(image, 2 * x + 1.0f, 2 * y + 1.0f);
    }
}

int main() {
    const int n = 1000, width = 40, height = 20;
    std::vector<int> table(n), found(n);
    for (int i = 0; i < n; ++i) {
        table[i] = i * i;
    }
    int *device_table, *device_found;
    CHECK(cudaMalloc(&device_table, n * sizeof(int)));
    CHECK(cudaMalloc(&device_found, n * sizeof(int)));
    CHECK(cudaMemcpy(device_table, table.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = device_table;
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = n * sizeof(int);
    cudaTextureDesc how{};
    how.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    look_up<<<(n + 127) / 128, 128>>>(texture, device_found, n);
    CHECK(cudaMemcpy(found.data(), device_found, n * sizeof(int), cudaMemcpyDeviceToHost));
    int right = 0;
    for (int i = 0; i < n; ++i) {
        right += found[i] == table[(i * 13) % n];
    }
    printf("looked up: %d of %d\n", right, n);
    cudaResourceDesc same{};
    CHECK(cudaGetTextureObjectResourceDesc(&same, texture));
    printf("its resource: type %d, %zu bytes, same memory %d\n", same.resType, same.res.linear.sizeInBytes,
           same.res.linear.devPtr == device_table);
    CHECK(cudaDestroyTextureObject(texture));

    std::vector<float> image(width * height), small(width * height / 4);
    for (int i = 0; i < width * height; ++i) {
        image[i] = static_cast<float>((i * 31) % 100);
    }
    float *rows, *device_small;
    size_t pitch;
    CHECK(cudaMallocPitch(&rows, &pitch, width * sizeof(float), height));
    CHECK(cudaMalloc(&device_small, small.size() * sizeof(float)));
    CHECK(cudaMemcpy2D(rows, pitch, image.data(), width * sizeof(float), width * sizeof(float), height, cudaMemcpyHostToDevice));
    cudaResourceDesc pitched{};
    pitched.resType = cudaResourceTypePitch2D;
    pitched.res.pitch2D.devPtr = rows;
    pitched.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    pitched.res.pitch2D.width = width;
    pitched.res.pitch2D.height = height;
    pitched.res.pitch2D.pitchInBytes = pitch;
    how.filterMode = cudaFilterModeLinear;
    CHECK(cudaCreateTextureObject(&texture, &pitched, &how, nullptr));
    shrink<<<dim3(3, 2), dim3(8, 8)>>>(texture, device_small, width / 2, height / 2);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(small.data(), device_small, small.size() * sizeof(float), cudaMemcpyDeviceToHost));
    int means = 0;
    for (int y = 0; y < height / 2; ++y) {
        for (int x = 0; x < width / 2; ++x) {
            const float* at = &image[2 * y * width + 2 * x];
            means += small[y * width / 2 + x] == (at[0] + at[1] + at[width] + at[width + 1]) / 4;
        }
    }
    printf("means: %d of %zu\n", means, small.size());
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFree(rows));
    CHECK(cudaFree(device_small));
    CHECK(cudaFree(device_table));
    CHECK(cudaFree(device_found));
}
