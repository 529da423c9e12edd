// Heat in a box: a 7-point stencil over pitched 3-D memory, with cudaMemcpy3D in and out and of a part.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#define CHECK(call)                                                                     \
    do {                                                                                \
        const cudaError_t code = (call);                                                \
        if (code != cudaSuccess) {                                                      \
            printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(code));        \
            exit(1);                                                                    \
        }                                                                               \
    } while (0)

constexpr int W = 33, H = 18, D = 11;

__device__ const float* row(const cudaPitchedPtr& box, int y, int z) {
    return reinterpret_cast<const float*>(static_cast<const char*>(box.ptr) + (z * box.ysize + y) * box.pitch);
}

__global__ void diffuse(cudaPitchedPtr in, cudaPitchedPtr out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= W || y >= H || z >= D) {
        return;
    }
    float value = row(in, y, z)[x];
    if (x > 0 && x < W - 1 && y > 0 && y < H - 1 && z > 0 && z < D - 1) {
        const float around = row(in, y, z)[x - 1] + row(in, y, z)[x + 1] + row(in, y - 1, z)[x] + row(in, y + 1, z)[x] +
                             row(in, y, z - 1)[x] + row(in, y, z + 1)[x];
        value = 0.5f * value + 0.0625f * around;
    }
    const_cast<float*>(row(out, y, z))[x] = value;
}

int main() {
    std::vector<float> host(W * H * D);
    for (size_t i = 0; i < host.size(); ++i) {
        host[i] = static_cast<float>((i * 37) % 64);
    }
    const cudaExtent extent = make_cudaExtent(W * sizeof(float), H, D);
    cudaPitchedPtr a, b;
    CHECK(cudaMalloc3D(&a, extent));
    CHECK(cudaMalloc3D(&b, extent));
    printf("rows: %zu bytes of %d, %zu in a plane\n", a.xsize, a.pitch >= a.xsize, a.ysize);

    cudaMemcpy3DParms in{};
    in.srcPtr = make_cudaPitchedPtr(host.data(), W * sizeof(float), W, H);
    in.dstPtr = a;
    in.extent = extent;
    in.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&in));

    const dim3 block(8, 4, 4), grid((W + 7) / 8, (H + 3) / 4, (D + 3) / 4);
    for (int step = 0; step < 6; ++step) {
        diffuse<<<grid, block>>>(a, b);
        std::swap(a, b);
    }
    CHECK(cudaGetLastError());

    cudaMemcpy3DParms out{};
    out.srcPtr = a;
    out.dstPtr = make_cudaPitchedPtr(host.data(), W * sizeof(float), W, H);
    out.extent = extent;
    out.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&out));
    double sum = 0;
    for (float v : host) {
        sum += v;
    }
    printf("sum %.6f, middle %.6f\n", sum, host[(D / 2 * H + H / 2) * W + W / 2]);

    // a part, from within the box to within a smaller one on the host
    std::vector<float> part(6 * 5 * 4, -1.0f);
    cudaMemcpy3DParms some{};
    some.srcPtr = a;
    some.srcPos = make_cudaPos(10 * sizeof(float), 7, 3);
    some.dstPtr = make_cudaPitchedPtr(part.data(), 6 * sizeof(float), 6, 5);
    some.dstPos = make_cudaPos(1 * sizeof(float), 1, 1);
    some.extent = make_cudaExtent(4 * sizeof(float), 3, 2);
    some.kind = cudaMemcpyDefault;
    CHECK(cudaMemcpy3DAsync(&some, 0));
    CHECK(cudaStreamSynchronize(0));
    int right = 0, untouched = 0;
    for (int z = 0; z < 4; ++z) {
        for (int y = 0; y < 5; ++y) {
            for (int x = 0; x < 6; ++x) {
                const float v = part[(z * 5 + y) * 6 + x];
                const bool inside = x >= 1 && x < 5 && y >= 1 && y < 4 && z >= 1 && z < 3;
                right += inside && v == host[((z + 2) * H + y + 6) * W + x + 9];
                untouched += !inside && v == -1.0f;
            }
        }
    }
    printf("part: %d right, %d untouched\n", right, untouched);

    // bytes of 7 in the first two planes, but not in the last column
    CHECK(cudaMemset3D(b, 0, extent));
    CHECK(cudaMemset3D(b, 7, make_cudaExtent((W - 1) * sizeof(float), H, 2)));
    out.srcPtr = b;
    CHECK(cudaMemcpy3D(&out));
    int sevens = 0;
    for (float v : host) {
        int bits;
        memcpy(&bits, &v, sizeof bits);
        sevens += bits == 0x07070707;
    }
    printf("sevens: %d\n", sevens);
    CHECK(cudaFree(a.ptr));
    CHECK(cudaFree(b.ptr));
}
