// Kernels for traces. In `values`, every `log[...] = NAME;` stores a variable that the trace has just shown; both values
// must agree. Compiled with: nvcc -G -ptx -arch=compute_75 -fmad=false -std=c++17 trace.cu

struct Pair {
    int a;
    float b;
};

__device__ int twice(int x) {
    int y = x * 2;
    return y;
}

__device__ long long factorial(int n) {
    if (n < 2) {
        return 1;
    }
    long long rest = factorial(n - 1);
    return n * rest;
}

extern "C" __global__ void values(const int* in, double* log, int n, float scale) {
    int at = (blockIdx.x * blockDim.x + threadIdx.x) * 64;
    const int tid = threadIdx.x;
    log[at++] = tid;
    unsigned int wide = blockIdx.x * 1000u + tid;
    log[at++] = wide;
    long long big = (long long)wide * 4000000000ll - 7;
    log[at++] = big;
    size_t size = sizeof(float) * tid;
    log[at++] = size;
    float real = in[tid] * scale;
    log[at++] = real;
    double fine = real / 3.0;
    log[at++] = fine;
    short small = (short)(tid * 3000);
    log[at++] = small;
    unsigned char byte = (unsigned char)(tid * 77);
    log[at++] = byte;
    signed char little = (signed char)(tid * 77);
    log[at++] = little;
    int sum = 0;
    log[at++] = sum;
    for (int i = 0; i < n; i++) {
        log[at++] = i;
        if (in[i] % 3 == 0) {
            continue;
        }
        sum += in[i];
        log[at++] = sum;
    }
    int sign;
    if (tid % 2 == 0) {
        sign = 1;
    } else {
        sign = -1;
    }
    log[at++] = sign;
    int down = n;
    while (down > 0) {
        down -= 2;
        log[at++] = down;
    }
    int kind = 0;
    switch (tid % 4) {
        case 0:
            kind = 10;
            break;
        case 1:
            kind = 20;
            break;
        default:
            kind = 30;
    }
    log[at++] = kind;
    int taken = 5;
    int* to = &taken;
    *to += tid;
    log[at++] = taken;
    const int doubled = twice(tid) + 1;
    log[at++] = doubled;
    long long product = factorial(tid % 5);
    log[at++] = product;
    {
        int tid = -3;
        log[at++] = tid;
    }
    log[at++] = tid;
    n = n * 2;
    log[at++] = n;
}

extern "C" __global__ void places(const float* in, float* out, int* count, int n) {
    __shared__ float tile[4][9];
    __shared__ Pair pairs[8];
    float own[6];
    const int tid = threadIdx.x;
    for (int i = 0; i < 6; i++) {
        own[i] = i * 0.5f;
    }
    tile[tid / 8][tid % 8] = in[tid];
    __syncthreads();
    if (tid < 8) {
        pairs[tid].a = tid;
        pairs[tid].b = own[tid % 6];
    }
    const int before = atomicAdd(count, 2);
    const float* shifted = in + 1;
    if (tid < n - 1) {
        out[tid] = shifted[tid] + tile[tid / 8][tid % 8];
    }
    if (before < 0) {
        out[0] = own[5];
    }
    out[tid + n - 3] = 1.0f;
}

extern "C" __global__ void apart(int* out, int n) {
    const int tid = threadIdx.x;
    if (tid < n) {
        out[tid] = tid;
        __syncthreads();
    }
    while (tid == 40) {
        out[40] = 1;
    }
}
