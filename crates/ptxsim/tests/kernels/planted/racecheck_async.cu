// sm_80
// Asynchronous copies to shared memory without the wait that they need, and beside each its fixed version.

__device__ void copy_async(int* to, const int* from) {
    unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address), "l"(from) : "memory");
}

// A barrier is not enough, because the copies may still be in flight.
// launch: grid 1, block 64; in i32[64] ramp; out i32[64]
extern "C" __global__ void copies_on_their_way(const int* in, int* out) {
    __shared__ int tile[64];
    int t = threadIdx.x;
    copy_async(&tile[t], &in[t]);  // with: write by block 0 of tile size 64
    asm volatile("cp.async.commit_group;" ::: "memory");
    __syncthreads();
    out[t] = tile[63 - t];  // at: shared-race read by block 0 of tile size 64
}
extern "C" __global__ void copies_on_their_way_fixed(const int* in, int* out) {
    __shared__ int tile[64];
    int t = threadIdx.x;
    copy_async(&tile[t], &in[t]);
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    out[t] = tile[63 - t];
}

// Two stages, and a wait that lets the newer group stay in flight: wrong for the last stage only.
// launch: grid 1, block 32; in i32[128] ramp; out i32[32]; stages i32 4
extern "C" __global__ void last_stage(const int* in, int* out, int stages) {
    __shared__ int tile[2][32];
    int t = threadIdx.x;
    int sum = 0;
    copy_async(&tile[0][t], &in[t]);
    asm volatile("cp.async.commit_group;" ::: "memory");
    for (int s = 0; s < stages; ++s) {
        if (s + 1 < stages) {
            copy_async(&tile[(s + 1) % 2][t], &in[(s + 1) * 32 + t]);  // with: write by block 0 of tile size 64
            asm volatile("cp.async.commit_group;" ::: "memory");
        }
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        sum += tile[s % 2][31 - t];  // at: shared-race read by block 0 of tile size 64
        __syncthreads();
    }
    out[t] = sum;
}
extern "C" __global__ void last_stage_fixed(const int* in, int* out, int stages) {
    __shared__ int tile[2][32];
    int t = threadIdx.x;
    int sum = 0;
    copy_async(&tile[0][t], &in[t]);
    asm volatile("cp.async.commit_group;" ::: "memory");
    for (int s = 0; s < stages; ++s) {
        if (s + 1 < stages) {
            copy_async(&tile[(s + 1) % 2][t], &in[(s + 1) * 32 + t]);
            asm volatile("cp.async.commit_group;" ::: "memory");
            asm volatile("cp.async.wait_group 1;" ::: "memory");
        } else {
            asm volatile("cp.async.wait_group 0;" ::: "memory");
        }
        __syncthreads();
        sum += tile[s % 2][31 - t];
        __syncthreads();
    }
    out[t] = sum;
}
