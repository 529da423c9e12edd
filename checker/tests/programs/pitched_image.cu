// A grey image in pitched memory: blurred by a 3 x 3 box, and a part of it copied to the middle of another image.
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

__global__ void blur(const unsigned char* in, size_t in_pitch, unsigned char* out, size_t out_pitch, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    int sum = 0, count = 0;
    for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
            const int at_x = x + dx, at_y = y + dy;
            if (at_x >= 0 && at_x < width && at_y >= 0 && at_y < height) {
                sum += in[at_y * in_pitch + at_x];
                ++count;
            }
        }
    }
    out[y * out_pitch + x] = static_cast<unsigned char>(sum / count);
}

int main() {
    const int width = 101, height = 67;
    std::vector<unsigned char> image(width * height), result(width * height);
    for (int i = 0; i < width * height; ++i) {
        image[i] = static_cast<unsigned char>((i * 7919) % 251);
    }
    unsigned char *in, *out;
    size_t in_pitch = 0, out_pitch = 0;
    CHECK(cudaMallocPitch(&in, &in_pitch, width, height));
    CHECK(cudaMallocPitch(&out, &out_pitch, width, height));
    printf("rows fit: %d, rows aligned: %d\n", in_pitch >= width, in_pitch % 32 == 0);

    CHECK(cudaMemcpy2D(in, in_pitch, image.data(), width, width, height, cudaMemcpyHostToDevice));
    const dim3 block(16, 16), grid((width + 15) / 16, (height + 15) / 16);
    blur<<<grid, block>>>(in, in_pitch, out, out_pitch, width, height);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy2D(result.data(), width, out, out_pitch, width, height, cudaMemcpyDeviceToHost));
    long long sum = 0;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            sum += (x + 1) * (y + 1) * result[y * width + x];
        }
    }
    printf("blurred: %d %d %d, checksum %lld\n", result[0], result[width * 30 + 50], result[width * height - 1], sum);

    // a frame of 9 around the middle of the blurred image
    CHECK(cudaMemset2D(in, in_pitch, 9, width, height));
    CHECK(cudaMemcpy2D(in + 20 * in_pitch + 30, in_pitch, out + 20 * out_pitch + 30, out_pitch, 41, 27, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpy2DAsync(result.data(), width, in, in_pitch, width, height, cudaMemcpyDeviceToHost, 0));
    CHECK(cudaDeviceSynchronize());
    int nines = 0;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            const bool inside = x >= 30 && x < 71 && y >= 20 && y < 47;
            nines += !inside && result[y * width + x] == 9;
        }
    }
    printf("framed: %d of %d, inside %d\n", nines, width * height - 41 * 27, result[33 * width + 50]);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}
