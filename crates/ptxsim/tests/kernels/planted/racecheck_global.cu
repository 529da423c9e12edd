// Races in device memory, one per kernel, and beside each its fixed version.

// launch: grid 2, block 32; in i32[64] mod 4; bins i32[4] zero
extern "C" __global__ void global_bins(const int* in, int* bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bins[in[i]] += 1;  // at: global-race of bins size 4 // with: of bins size 4
}
extern "C" __global__ void global_bins_fixed(const int* in, int* bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&bins[in[i]], 1);
}

// An in-place stencil that is right within each block, and wrong at the border of two blocks.
// launch: grid 2, block 32; row f32[65] ramp; out f32[64]
extern "C" __global__ void where_blocks_meet(float* row, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float right = row[i + 1];  // at: global-race read by block 0 thread 31 of row[32] size 65
    __syncthreads();
    row[i] = right * 0.5f;  // with: write by block 1 thread 0 of row[32] size 65
}
extern "C" __global__ void where_blocks_meet_fixed(float* row, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float right = row[i + 1];
    out[i] = right * 0.5f;
}

// Blocks share a counter, but their atomic has block scope.
// launch: grid 4, block 32; count i32[1] zero
extern "C" __global__ void atomics_of_a_block(int* count) {
    atomicAdd_block(count, 1);  // at: global-race atomic of count[0] size 1 // with: atomic of count[0] size 1
}
extern "C" __global__ void atomics_of_a_block_fixed(int* count) {
    atomicAdd(count, 1);
}

// A message and a flag without a fence between them.
// launch: grid 2, block 1; message i32[1]; flag i32[1] zero; out i32[1]
extern "C" __global__ void flag_without_fence(int* message, volatile int* flag, int* out) {
    if (blockIdx.x == 0) {
        message[0] = 42;  // at: global-race write by block 0 thread 0 of message[0] size 1
        *flag = 1;
    } else {
        while (*flag == 0) {
        }
        __threadfence();
        out[0] = message[0];  // with: read by block 1 thread 0 of message[0] size 1
    }
}
extern "C" __global__ void flag_without_fence_fixed(int* message, volatile int* flag, int* out) {
    if (blockIdx.x == 0) {
        message[0] = 42;
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0) {
        }
        __threadfence();
        out[0] = message[0];
    }
}

// Fences with block scope between two blocks.
// launch: grid 2, block 1; message i32[1]; flag i32[1] zero; out i32[1]
extern "C" __global__ void fence_of_a_block(int* message, int* flag, int* out) {
    if (blockIdx.x == 0) {
        message[0] = 42;  // at: global-race write by block 0 thread 0 of message[0] size 1
        __threadfence_block();
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {
        }
        __threadfence_block();
        out[0] = message[0];  // with: read by block 1 thread 0 of message[0] size 1
    }
}
extern "C" __global__ void fence_of_a_block_fixed(int* message, int* flag, int* out) {
    if (blockIdx.x == 0) {
        message[0] = 42;
        __threadfence();
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {
        }
        __threadfence();
        out[0] = message[0];
    }
}

// A flag that is written with a plain store.
// launch: grid 2, block 1; mailbox i32[1] zero; out i32[1]
extern "C" __global__ void plain_flag(int* mailbox, int* out) {
    if (blockIdx.x == 0) {
        mailbox[0] = 42;  // at: global-race write by block 0 thread 0 of mailbox[0] size 1
    } else {
        int letter = 0;
        while (letter == 0) {
            letter = atomicAdd(mailbox, 0);  // with: atomic by block 1 thread 0 of mailbox[0] size 1
        }
        out[0] = letter;
    }
}
extern "C" __global__ void plain_flag_fixed(int* mailbox, int* out) {
    if (blockIdx.x == 0) {
        atomicExch(mailbox, 42);
    } else {
        int letter = 0;
        while (letter == 0) {
            letter = atomicAdd(mailbox, 0);
        }
        out[0] = letter;
    }
}

// The lock is released without a fence, so the sum may not be visible yet.
// launch: grid 4, block 1; lock i32[1] zero; sum i32[1] zero
extern "C" __global__ void unlock_without_fence(int* lock, int* sum) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    sum[0] += 5;  // at: global-race of sum[0] size 1 // with: of sum[0] size 1
    atomicExch(lock, 0);
}
extern "C" __global__ void unlock_without_fence_fixed(int* lock, int* sum) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    sum[0] += 5;
    __threadfence();
    atomicExch(lock, 0);
}

// The lock is acquired without a fence, so the protected value may have been read before.
// launch: grid 4, block 1; lock i32[1] zero; sum i32[1] zero
extern "C" __global__ void lock_without_fence(int* lock, int* sum) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    sum[0] += 5;  // at: global-race of sum[0] size 1 // with: of sum[0] size 1
    __threadfence();
    atomicExch(lock, 0);
}
extern "C" __global__ void lock_without_fence_fixed(int* lock, int* sum) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    sum[0] += 5;
    __threadfence();
    atomicExch(lock, 0);
}

// The last block sums the others' results, which no fence has made visible.
// launch: grid 4, block 32; in i32[128] ramp; partial i32[4]; ticket u32[1] zero; out i32[1]
extern "C" __global__ void last_block_sums(const int* in, int* partial, unsigned* ticket, int* out) {
    int sum = in[blockIdx.x * 32 + threadIdx.x];
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, d);
    }
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;  // at: global-race write of partial size 4
        if (atomicAdd(ticket, 1) == gridDim.x - 1) {
            __threadfence();
            int total = 0;
            for (int b = 0; b < 4; ++b) {
                total += partial[b];  // with: read of partial size 4
            }
            out[0] = total;
        }
    }
}
extern "C" __global__ void last_block_sums_fixed(const int* in, int* partial, unsigned* ticket, int* out) {
    int sum = in[blockIdx.x * 32 + threadIdx.x];
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, d);
    }
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        if (atomicAdd(ticket, 1) == gridDim.x - 1) {
            __threadfence();
            int total = 0;
            for (int b = 0; b < 4; ++b) {
                total += partial[b];
            }
            out[0] = total;
        }
    }
}

// Each block waits for the prefix of the block before it, whose status may be visible before the number.
// launch: grid 2, block 32; in i32[64] fill 1; prefix i32[2]; ready i32[2] zero; out i32[64]
extern "C" __global__ void look_back(const int* in, int* prefix, volatile int* ready, int* out) {
    __shared__ int before;
    int b = blockIdx.x;
    int t = threadIdx.x;
    int sum = in[b * 32 + t];
    for (int d = 1; d < 32; d *= 2) {
        int left = __shfl_up_sync(0xffffffff, sum, d);
        sum += t >= d ? left : 0;
    }
    if (t == 31) {
        int carried = 0;
        if (b > 0) {
            while (ready[b - 1] == 0) {
            }
            __threadfence();
            carried = prefix[b - 1];  // at: global-race read by block 1 thread 31 of prefix[0] size 2
        }
        prefix[b] = carried + sum;  // with: write by block 0 thread 31 of prefix[0] size 2
        ready[b] = 1;
        before = carried;
    }
    __syncthreads();
    out[b * 32 + t] = before + sum;
}
extern "C" __global__ void look_back_fixed(const int* in, int* prefix, volatile int* ready, int* out) {
    __shared__ int before;
    int b = blockIdx.x;
    int t = threadIdx.x;
    int sum = in[b * 32 + t];
    for (int d = 1; d < 32; d *= 2) {
        int left = __shfl_up_sync(0xffffffff, sum, d);
        sum += t >= d ? left : 0;
    }
    if (t == 31) {
        int carried = 0;
        if (b > 0) {
            while (ready[b - 1] == 0) {
            }
            __threadfence();
            carried = prefix[b - 1];
        }
        prefix[b] = carried + sum;
        __threadfence();
        ready[b] = 1;
        before = carried;
    }
    __syncthreads();
    out[b * 32 + t] = before + sum;
}

// One thread sets the counter to zero that all threads increment.
// launch: grid 1, block 64; count i32[1]
extern "C" __global__ void zeroed_meanwhile(int* count) {
    if (threadIdx.x == 0) {
        *count = 0;  // at: global-race write by block 0 thread 0 of count[0] size 1
    }
    atomicAdd(count, 1);  // with: atomic by block 0 of count[0] size 1
}
extern "C" __global__ void zeroed_meanwhile_fixed(int* count) {
    if (threadIdx.x == 0) {
        *count = 0;
    }
    __syncthreads();
    atomicAdd(count, 1);
}

// Nodes are pushed onto a list without atomics, and some are lost.
// launch: grid 2, block 1; head i32[1] fill -1; next i32[2] fill -2
extern "C" __global__ void lost_nodes(int* head, int* next) {
    int node = blockIdx.x;
    next[node] = *head;  // with: read of head[0] size 1
    *head = node;  // at: global-race write of head[0] size 1
}
extern "C" __global__ void lost_nodes_fixed(int* head, int* next) {
    int node = blockIdx.x;
    next[node] = atomicExch(head, node);
}

// Eight threads set bits of one byte.
// launch: grid 1, block 64; in i32[64] fill 1; bits u8[8] zero
extern "C" __global__ void bits_of_a_byte(const int* in, unsigned char* bits) {
    int t = threadIdx.x;
    if (in[t]) {
        bits[t / 8] |= 1 << t % 8;  // at: global-race by block 0 of bits size 8 // with: by block 0 of bits size 8
    }
}
extern "C" __global__ void bits_of_a_byte_fixed(const int* in, unsigned char* bits) {
    int t = threadIdx.x;
    unsigned votes = __ballot_sync(0xffffffff, in[t]);
    if (t % 8 == 0) {
        bits[t / 8] = votes >> t % 32;
    }
}

// A hand-written barrier between blocks: the block's other threads may still be writing when thread 0 arrives.
// launch: grid 2, block 64; data i32[128]; arrived i32[1] zero; out i32[128]
extern "C" __global__ void homemade_barrier(int* data, int* arrived, int* out) {
    int i = blockIdx.x * 64 + threadIdx.x;
    data[i] = i;  // at: global-race write of data size 128
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1);
        while (atomicAdd(arrived, 0) < 2) {
        }
        __threadfence();
    }
    __syncthreads();
    out[i] = data[127 - i];  // with: read of data size 128
}
extern "C" __global__ void homemade_barrier_fixed(int* data, int* arrived, int* out) {
    int i = blockIdx.x * 64 + threadIdx.x;
    data[i] = i;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1);
        while (atomicAdd(arrived, 0) < 2) {
        }
        __threadfence();
    }
    __syncthreads();
    out[i] = data[127 - i];
}
