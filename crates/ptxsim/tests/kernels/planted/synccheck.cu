// Barriers and warp operations that some threads do not reach, one per kernel, and beside each its fixed version.

// Half of a warp reaches the barrier.
// launch: grid 1, block 64; in i32[64] ramp; out i32[64]
extern "C" __global__ void half_warp(const int* in, int* out) {
    __shared__ int tile[64];
    int t = threadIdx.x;
    int v = in[t];
    if (t % 32 < 16) {
        tile[t] = v;
        __syncthreads();  // at: barrier-not-reached waiting 32 missing 32 wait by block 0 thread 0
        v = tile[t ^ 1];
    }
    out[t] = v;
}  // with: exit by block 0 thread 16
extern "C" __global__ void half_warp_fixed(const int* in, int* out) {
    __shared__ int tile[64];
    int t = threadIdx.x;
    int v = in[t];
    if (t % 32 < 16) {
        tile[t] = v;
    }
    __syncthreads();
    if (t % 32 < 16) {
        v = tile[t ^ 1];
    }
    out[t] = v;
}

// Whole warps do not reach the barrier.
// launch: grid 1, block 96; in i32[96] ramp; out i32[96]
extern "C" __global__ void one_warp_of_three(const int* in, int* out) {
    __shared__ int tile[32];
    int t = threadIdx.x;
    if (t < 32) {
        tile[t] = in[t];
        __syncthreads();  // at: barrier-not-reached waiting 32 missing 64 wait by block 0 thread 0
        out[t] = tile[31 - t];
    } else {
        out[t] = in[t];
    }
}  // with: exit by block 0 thread 32
extern "C" __global__ void one_warp_of_three_fixed(const int* in, int* out) {
    __shared__ int tile[32];
    int t = threadIdx.x;
    if (t < 32) {
        tile[t] = in[t];
    }
    __syncthreads();
    out[t] = t < 32 ? tile[31 - t] : in[t];
}

// The usual `if (i >= n) return`, in a kernel with a barrier.
// launch: grid 2, block 64; in i32[100] ramp; out i32[100]; n i32 100
extern "C" __global__ void early_leave(const int* in, int* out, int n) {
    __shared__ int tile[64];
    int t = threadIdx.x;
    int i = blockIdx.x * 64 + t;
    if (i >= n) return;  // with: exit by block 1 thread 36
    tile[t] = in[i];
    __syncthreads();  // at: barrier-not-reached waiting 36 missing 28 wait by block 1 thread 0
    out[i] = t > 0 ? tile[t - 1] : 0;
}
extern "C" __global__ void early_leave_fixed(const int* in, int* out, int n) {
    __shared__ int tile[64];
    int t = threadIdx.x;
    int i = blockIdx.x * 64 + t;
    if (i < n) {
        tile[t] = in[i];
    }
    __syncthreads();
    if (i < n) {
        out[i] = t > 0 ? tile[t - 1] : 0;
    }
}

// Rows of a sparse matrix are of different lengths.
// launch: grid 1, block 4; ends i32[5] {0, 3, 4, 9, 11}; values f32[11] ramp; out f32[4]
extern "C" __global__ void rows_of_any_length(const int* ends, const float* values, float* out) {
    __shared__ float staged[4];
    int row = threadIdx.x;
    float sum = 0.0f;
    for (int k = ends[row]; k < ends[row + 1]; ++k) {
        staged[row] = values[k];
        __syncthreads();  // at: barrier-not-reached wait by block 0
        sum += staged[row];
    }
    out[row] = sum;
}  // with: exit by block 0
extern "C" __global__ void rows_of_any_length_fixed(const int* ends, const float* values, float* out) {
    __shared__ float staged[4];
    int row = threadIdx.x;
    float sum = 0.0f;
    int longest = 5;
    for (int step = 0; step < longest; ++step) {
        int k = ends[row] + step;
        bool mine = k < ends[row + 1];
        staged[row] = mine ? values[k] : 0.0f;
        __syncthreads();
        sum += staged[row];
    }
    out[row] = sum;
}

// A barrier in each branch, with lanes of one warp in both.
// launch: grid 1, block 64; in i32[64] ramp; out i32[64]
extern "C" __global__ void even_and_odd(const int* in, int* out) {
    __shared__ int tile[64];
    int t = threadIdx.x;
    int v = in[t];
    tile[t] = v;
    if (v % 2 == 0) {
        __syncthreads();  // at: barrier-not-reached wait by block 0 thread 0
        out[t] = tile[t + 1];
    } else {
        __syncthreads();  // with: wait by block 0 thread 1
        out[t] = -tile[t - 1];
    }
}
extern "C" __global__ void even_and_odd_fixed(const int* in, int* out) {
    __shared__ int tile[64];
    int t = threadIdx.x;
    int v = in[t];
    tile[t] = v;
    __syncthreads();
    if (v % 2 == 0) {
        out[t] = tile[t + 1];
    } else {
        out[t] = -tile[t - 1];
    }
}

// The mask names lanes in the other branch.
// launch: grid 1, block 32; in i32[32] ramp; out i32[32]
extern "C" __global__ void shuffle_in_a_branch(const int* in, int* out) {
    int t = threadIdx.x;
    int v = in[t];
    if (v < 24) {
        v += __shfl_down_sync(0xffffffff, v, 1);  // at: bad-sync-mask mask 0xffffffff present 0x00ffffff by block 0 thread 0
    } else {
        __nanosleep(100);
    }
    __syncwarp();  // with: wait by block 0 thread 24
    out[t] = v;
}
extern "C" __global__ void shuffle_in_a_branch_fixed(const int* in, int* out) {
    int t = threadIdx.x;
    int v = in[t];
    int next = __shfl_down_sync(0xffffffff, v, 1);
    if (v < 24) {
        v += next;
    }
    out[t] = v;
}

// A warp sum over lanes that have exited.
// launch: grid 1, block 32; in i32[20] ramp; out i32[1]; n i32 20
extern "C" __global__ void sum_of_the_left(const int* in, int* out, int n) {
    int t = threadIdx.x;
    if (t >= n) {
        return;
    }
    int sum = in[t];
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, d);  // at: bad-sync-mask mask 0xffffffff present 0x000fffff by block 0 thread 4
    }
    if (t == 0) {
        out[0] = sum;
    }
}
extern "C" __global__ void sum_of_the_left_fixed(const int* in, int* out, int n) {
    int t = threadIdx.x;
    int sum = t < n ? in[t] : 0;
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, d);
    }
    if (t == 0) {
        out[0] = sum;
    }
}

// Every lane executes an operation whose mask has half of them.
// launch: grid 1, block 32; in i32[32] ramp; out i32[32]
extern "C" __global__ void own_lane_left_out(const int* in, int* out) {
    int t = threadIdx.x;
    out[t] = __shfl_xor_sync(0x0000ffff, in[t], 1);  // at: bad-sync-mask mask 0x0000ffff by block 0 thread 16
}
extern "C" __global__ void own_lane_left_out_fixed(const int* in, int* out) {
    int t = threadIdx.x;
    unsigned mask = t < 16 ? 0x0000ffff : 0xffff0000;
    out[t] = __shfl_xor_sync(mask, in[t], 1);
}

// A value from a lane outside the mask.
// launch: grid 1, block 32; in i32[32] ramp; out i32[32] zero
extern "C" __global__ void outside_the_mask(const int* in, int* out) {
    int t = threadIdx.x;
    int v = in[t];
    if (v < 16) {
        out[t] = __shfl_sync(0x0000ffff, v, v + 8);  // at: bad-sync-mask mask 0x0000ffff present 0x0000ffff by block 0 thread 8
    }
}
extern "C" __global__ void outside_the_mask_fixed(const int* in, int* out) {
    int t = threadIdx.x;
    int v = in[t];
    if (v < 16) {
        out[t] = __shfl_sync(0x0000ffff, v, (v + 8) % 16);
    }
}

// The other lanes are already at the block's barrier.
// launch: grid 1, block 64; in i32[64] ramp; out i32[64]
extern "C" __global__ void syncwarp_of_some(const int* in, int* out) {
    __shared__ int tile[64];
    int t = threadIdx.x;
    tile[t] = in[t];
    if (in[t] % 32 < 8) {
        __syncwarp();  // at: bad-sync-mask mask 0xffffffff present 0x000000ff by block 0
        tile[t] += tile[t ^ 1];
    }
    __syncthreads();  // with: wait by block 0
    out[t] = tile[63 - t];
}
extern "C" __global__ void syncwarp_of_some_fixed(const int* in, int* out) {
    __shared__ int tile[64];
    int t = threadIdx.x;
    tile[t] = in[t];
    __syncwarp();
    int sum = tile[t];
    if (in[t] % 32 < 8) {
        sum += tile[t ^ 1];
    }
    __syncwarp();
    tile[t] = sum;
    __syncthreads();
    out[t] = tile[63 - t];
}

// Lanes leave the loop one by one; the vote in it waits for all lanes.
// launch: grid 1, block 32; in i32[32] mod 4; out i32[32]
extern "C" __global__ void vote_in_a_loop(const int* in, int* out) {
    int t = threadIdx.x;
    int votes = 0;
    for (int k = 0; k <= in[t]; ++k) {
        votes += __popc(__ballot_sync(0xffffffff, k > 0));  // at: bad-sync-mask mask 0xffffffff present 0xeeeeeeee by block 0 thread 1
    }
    __syncthreads();  // with: wait by block 0 thread 0
    out[t] = votes;
}
extern "C" __global__ void vote_in_a_loop_fixed(const int* in, int* out) {
    int t = threadIdx.x;
    int votes = 0;
    int left = in[t];
    for (int k = 0; __any_sync(0xffffffff, k <= left); ++k) {
        votes += __popc(__ballot_sync(0xffffffff, k > 0 && k <= left));
    }
    out[t] = votes;
}

// A named barrier for more threads than ever arrive.
// launch: grid 1, block 96; in i32[96] ramp; out i32[96]
extern "C" __global__ void count_too_large(const int* in, int* out) {
    __shared__ int tile[64];
    int t = threadIdx.x;
    if (t < 64) {
        tile[t] = in[t];
        asm volatile("bar.sync 1, 96;" ::: "memory");  // at: barrier-not-reached waiting 64 missing 32 wait by block 0 thread 0
        out[t] = tile[63 - t];
    } else {
        out[t] = in[t];
    }
}  // with: exit by block 0 thread 64
extern "C" __global__ void count_too_large_fixed(const int* in, int* out) {
    __shared__ int tile[64];
    int t = threadIdx.x;
    if (t < 64) {
        tile[t] = in[t];
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[t] = tile[63 - t];
    } else {
        out[t] = in[t];
    }
}

// Two named barriers that threads reach in different orders.
// launch: grid 1, block 64; out i32[64]
extern "C" __global__ void crossed_barriers(int* out) {
    int t = threadIdx.x;
    if (t < 32) {
        asm volatile("bar.sync 1, 64;" ::: "memory");  // at: deadlock waiting 32 wait by block 0 thread 0
        asm volatile("bar.sync 2, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 2, 64;" ::: "memory");  // with: wait by block 0 thread 32
        asm volatile("bar.sync 1, 64;" ::: "memory");
    }
    out[t] = t;
}
extern "C" __global__ void crossed_barriers_fixed(int* out) {
    int t = threadIdx.x;
    if (t < 32) {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        asm volatile("bar.sync 2, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        asm volatile("bar.sync 2, 64;" ::: "memory");
    }
    out[t] = t;
}

// A whole warp has exited before the others reach a named barrier for all threads.
// launch: grid 1, block 96; in i32[96] ramp; out i32[64]; n i32 64
extern "C" __global__ void counted_on_the_left(const int* in, int* out, int n) {
    __shared__ int tile[96];
    int t = threadIdx.x;
    if (t >= n) return;  // with: exit by block 0 thread 64
    tile[t] = in[t];
    asm volatile("barrier.sync 1, 96;" ::: "memory");  // at: barrier-not-reached waiting 64 missing 32 wait by block 0 thread 0
    out[t] = tile[63 - t];
}
extern "C" __global__ void counted_on_the_left_fixed(const int* in, int* out, int n) {
    __shared__ int tile[96];
    int t = threadIdx.x;
    if (t < n) {
        tile[t] = in[t];
    }
    asm volatile("barrier.sync 1, 96;" ::: "memory");
    if (t < n) {
        out[t] = tile[63 - t];
    }
}

// A barrier for 48 threads: the count must be a multiple of the warp's size.
// launch: grid 1, block 64; in i32[64] ramp; out i32[64]
extern "C" __global__ void count_of_48(const int* in, int* out) {
    __shared__ int tile[64];
    int t = threadIdx.x;
    tile[t] = in[t];
    asm volatile("{ .reg .b32 n; mov.b32 n, %0; bar.sync 1, n; }" ::"r"(in[48]) : "memory");  // at: bad-barrier id 1 threads 48 by block 0 thread 0
    out[t] = tile[63 - t];
}
extern "C" __global__ void count_of_48_fixed(const int* in, int* out) {
    __shared__ int tile[64];
    int t = threadIdx.x;
    tile[t] = in[t];
    asm volatile("{ .reg .b32 n; mov.b32 n, %0; bar.sync 1, n; }" ::"r"(in[48] + 16) : "memory");
    out[t] = tile[63 - t];
}

// The seventeenth barrier of a block that has sixteen.
// launch: grid 1, block 64; in i32[64] ramp; out i32[64]; last i32 16
extern "C" __global__ void barrier_too_many(const int* in, int* out, int last) {
    __shared__ int tile[64];
    int t = threadIdx.x;
    int sum = 0;
    for (int id = 1; id <= last; ++id) {
        tile[t] = in[t] + id;
        asm volatile("barrier.sync %0;" ::"r"(id) : "memory");  // at: bad-barrier id 16 by block 0 thread 0
        sum += tile[63 - t];
        __syncthreads();
    }
    out[t] = sum;
}
// launch: grid 1, block 64; in i32[64] ramp; out i32[64]; last i32 15
extern "C" __global__ void barrier_too_many_fixed(const int* in, int* out, int last) {
    __shared__ int tile[64];
    int t = threadIdx.x;
    int sum = 0;
    for (int id = 1; id <= last; ++id) {
        tile[t] = in[t] + id;
        asm volatile("barrier.sync %0;" ::"r"(id) : "memory");
        sum += tile[63 - t];
        __syncthreads();
    }
    out[t] = sum;
}

// The flag is set after a barrier that the waiting thread never reaches.
// launch: grid 1, block 64; flag i32[1] zero; out i32[64]
extern "C" __global__ void flag_behind_the_barrier(volatile int* flag, int* out) {
    int t = threadIdx.x;
    if (t == 0) {
        while (*flag == 0) {  // at: livelock by block 0 thread 0
        }
    }
    __syncthreads();  // with: wait by block 0
    if (t == 63) {
        *flag = 1;
    }
    out[t] = *flag;
}
extern "C" __global__ void flag_behind_the_barrier_fixed(volatile int* flag, int* out) {
    int t = threadIdx.x;
    if (t == 63) {
        *flag = 1;
    }
    __syncthreads();
    if (t == 0) {
        while (*flag == 0) {
        }
    }
    out[t] = *flag;
}

// A lock that its owner acquires again.
// launch: grid 1, block 1; lock i32[1] zero; balance i32[2] fill 50
extern "C" __global__ void locked_twice(int* lock, int* balance) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    balance[0] -= 10;
    while (atomicCAS(lock, 0, 1) != 0) {  // at: livelock by block 0 thread 0
    }
    __threadfence();
    balance[1] += 10;
    __threadfence();
    atomicExch(lock, 0);
}
extern "C" __global__ void locked_twice_fixed(int* lock, int* balance) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    balance[0] -= 10;
    balance[1] += 10;
    __threadfence();
    atomicExch(lock, 0);
}
