// One kernel for each thing that can go wrong on a GPU; tests/gpu.rs launches them.
//
// nvcc 13.0 compiles this file to kernels.ptx:
//     nvcc -ptx -arch=compute_75 --fmad=false kernels.cu
#include <cassert>
#include <cstdio>

// Right: in [n], out [n].
extern "C" __global__ void double_it(const float* in, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        out[idx] = 2.0f * in[idx];
    }
}

// Writes out[n] and beyond, as far as the grid goes.
extern "C" __global__ void overrun(const float* in, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    out[idx] = 2.0f * in[idx];
}

// Copies without a guard: beyond the end, one buffer's guard zone onto the other's.
extern "C" __global__ void copy_overrun(const float* in, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    out[idx] = in[idx];
}

// Writes out[-1].
extern "C" __global__ void underrun(const float* in, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        out[idx - 1] = in[idx];
    }
}

// Writes in[5], which is read only.
extern "C" __global__ void scribble(const float* in, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx == 5) {
        const_cast<float*>(in)[idx] = -1.0f;
    }
}

// Writes to an address outside all allocations.
extern "C" __global__ void illegal(const float* in, float* out, int n) {
    out[(1LL << 40) + n] = 1.0f;
}

// Writes a float at an odd address.
extern "C" __global__ void misaligned(const float* in, float* out, int n) {
    *reinterpret_cast<float*>(reinterpret_cast<char*>(out) + n % 4 + 1) = 1.0f;
}

extern "C" __global__ void trapped(const float* in, float* out, int n) {
    if (threadIdx.x == 3) {
        asm volatile("trap;");
    }
}

extern "C" __global__ void asserted(const float* in, float* out, int n) {
    assert(in[threadIdx.x] < 3.0f);
}

// Never ends, because no thread writes out[0].
extern "C" __global__ void endless(const float* in, float* out, int n) {
    volatile float* flag = out;
    while (flag[0] != 1.0f) {
    }
}

extern "C" __global__ void greet(const float* in, float* out, int n) {
    if (threadIdx.x < 2) {
        printf("cwk1 thread %d of %d\n", threadIdx.x, blockDim.x);
    }
}

// A million lines and more.
extern "C" __global__ void chatter(const float* in, float* out, int n) {
    for (int i = 0; i < 4000; ++i) {
        printf("line %d of block %d\n", i, blockIdx.x);
    }
}

__device__ int calls = 0;

// Counts its launches, because module state must not survive from one case to the next.
extern "C" __global__ void count_calls(const float* in, float* out, int n) {
    if (threadIdx.x == 0) {
        out[0] = ++calls;
    }
}

// 40 KiB of static shared memory. With dynamic shared memory, this exceeds the default limit of a block.
extern "C" __global__ void much_shared(const float* in, float* out, int n) {
    __shared__ float fixed[10240];
    extern __shared__ float dynamic[];
    fixed[threadIdx.x] = in[threadIdx.x];
    dynamic[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = fixed[blockDim.x - 1 - threadIdx.x] + dynamic[threadIdx.x];
}
