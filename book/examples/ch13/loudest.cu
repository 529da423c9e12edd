// Finds the loudest sample of a recording, with several long loads of each
// thread in flight.
#include <cstdio>

// ANCHOR: kernel
constexpr int LOADS = 2;  // loads that each thread has in flight

// *loudest becomes the greatest magnitude; n is a multiple of 4
__global__ void find_loudest(const int4* in, int* loudest, int n) {
    const int threads = gridDim.x * blockDim.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int most = 0;
    for (; i + (LOADS - 1) * threads < n / 4; i += LOADS * threads) {  // (1)
        int4 v[LOADS];
        for (int k = 0; k < LOADS; ++k) {
            v[k] = in[i + k * threads];                                // (2)
        }
        for (int k = 0; k < LOADS; ++k) {
            most = max(most, max(max(abs(v[k].x), abs(v[k].y)),        // (3)
                                 max(abs(v[k].z), abs(v[k].w))));
        }
    }
    for (; i < n / 4; i += threads) {                                  // (4)
        most = max(most, max(max(abs(in[i].x), abs(in[i].y)),
                             max(abs(in[i].z), abs(in[i].w))));
    }
    for (int distance = 16; distance > 0; distance /= 2) {             // (5)
        most = max(most, __shfl_xor_sync(0xffffffffu, most, distance));
    }
    if (threadIdx.x % 32 == 0) {
        atomicMax(loudest, most);
    }
}
// ANCHOR_END: kernel

int main() {
    const int n = 100000;
    int *in, *loudest;
    cudaMallocManaged(&in, n * sizeof(int));
    cudaMallocManaged(&loudest, sizeof(int));
    for (int i = 0; i < n; ++i) {
        in[i] = (i * 7919) % 20011 - 10000;
    }
    in[99998] = -12345;
    *loudest = 0;

    find_loudest<<<4, 256>>>(reinterpret_cast<int4*>(in), loudest, n);
    cudaDeviceSynchronize();
    printf("the loudest sample has magnitude %d\n", *loudest);
    cudaFree(in);
    cudaFree(loudest);
}
