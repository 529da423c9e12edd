// Faults with device `malloc` and `free`, one per kernel, and beside each its fixed version.

// launch: grid 1, block 4; in i32[64] ramp; out i32[4]
extern "C" __global__ void used_after_free(const int* in, int* out) {
    int t = threadIdx.x;
    int* copy = static_cast<int*>(malloc(16 * sizeof(int)));
    if (copy == nullptr) {
        return;
    }
    for (int i = 0; i < 16; ++i) {
        copy[(i * 7) % 16] = in[16 * t + i];
    }
    free(copy);  // with: by block 0 thread 0
    out[t] = copy[in[t]];  // at: use-after-free read by block 0 thread 0
}
extern "C" __global__ void used_after_free_fixed(const int* in, int* out) {
    int t = threadIdx.x;
    int* copy = static_cast<int*>(malloc(16 * sizeof(int)));
    if (copy == nullptr) {
        return;
    }
    for (int i = 0; i < 16; ++i) {
        copy[(i * 7) % 16] = in[16 * t + i];
    }
    out[t] = copy[in[t]];
    free(copy);
}

// Every thread frees what one thread allocated.
__device__ int* scratch_of_block;
// launch: grid 1, block 32; out i32[32]
extern "C" __global__ void freed_by_all(int* out) {
    int t = threadIdx.x;
    if (t == 0) {
        scratch_of_block = static_cast<int*>(malloc(32 * sizeof(int)));
    }
    __syncthreads();
    int* scratch = scratch_of_block;
    if (scratch != nullptr) {
        scratch[t] = t;
        __syncthreads();
        out[t] = scratch[31 - t];
        __syncthreads();
        free(scratch);  // at: double-free by block 0 thread 1 // with: by block 0 thread 0
    }
}
extern "C" __global__ void freed_by_all_fixed(int* out) {
    int t = threadIdx.x;
    if (t == 0) {
        scratch_of_block = static_cast<int*>(malloc(32 * sizeof(int)));
    }
    __syncthreads();
    int* scratch = scratch_of_block;
    if (scratch != nullptr) {
        scratch[t] = t;
        __syncthreads();
        out[t] = scratch[31 - t];
        __syncthreads();
        if (t == 0) {
            free(scratch);
        }
    }
}

// `<=` instead of `<`, in memory that the kernel allocated.
// launch: grid 1, block 4; out i32[4]; n i32 10
extern "C" __global__ void heap_overrun(int* out, int n) {
    int* squares = static_cast<int*>(malloc(n * sizeof(int)));
    if (squares == nullptr) {
        return;
    }
    for (int i = 0; i <= n; ++i) {
        squares[i] = i * i;  // at: out-of-bounds write by block 0 thread 0 of [10] size 10
    }
    out[threadIdx.x] = squares[threadIdx.x * 3];
    free(squares);
}
extern "C" __global__ void heap_overrun_fixed(int* out, int n) {
    int* squares = static_cast<int*>(malloc(n * sizeof(int)));
    if (squares == nullptr) {
        return;
    }
    for (int i = 0; i < n; ++i) {
        squares[i] = i * i;
    }
    out[threadIdx.x] = squares[threadIdx.x * 3];
    free(squares);
}
