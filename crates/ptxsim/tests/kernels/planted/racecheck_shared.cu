// Races in shared memory, one per kernel, and beside each its fixed version.

// No barrier between filling the tile and the first round.
// launch: grid 1, block 64; in i32[64] ramp; out i32[1]
extern "C" __global__ void first_round(const int* in, int* out) {
    __shared__ int tile[64];
    int t = threadIdx.x;
    tile[t] = in[t];  // with: write by block 0 thread 32 of tile[32] size 64
    for (int stride = 32; stride > 0; stride /= 2) {
        if (t < stride) {
            tile[t] += tile[t + stride];  // at: shared-race read by block 0 thread 0 of tile[32] size 64
        }
        __syncthreads();
    }
    if (t == 0) {
        out[0] = tile[0];
    }
}
extern "C" __global__ void first_round_fixed(const int* in, int* out) {
    __shared__ int tile[64];
    int t = threadIdx.x;
    tile[t] = in[t];
    __syncthreads();
    for (int stride = 32; stride > 0; stride /= 2) {
        if (t < stride) {
            tile[t] += tile[t + stride];
        }
        __syncthreads();
    }
    if (t == 0) {
        out[0] = tile[0];
    }
}

// No barrier between the rounds.
// launch: grid 1, block 128; in i32[128] ramp; out i32[1]
extern "C" __global__ void between_rounds(const int* in, int* out) {
    __shared__ int tile[128];
    int t = threadIdx.x;
    tile[t] = in[t];
    __syncthreads();
    for (int stride = 64; stride > 0; stride /= 2) {
        if (t < stride) {
            tile[t] += tile[t + stride];  // at: shared-race of tile size 128 // with: of tile size 128
        }
    }
    if (t == 0) {
        out[0] = tile[0];
    }
}
extern "C" __global__ void between_rounds_fixed(const int* in, int* out) {
    __shared__ int tile[128];
    int t = threadIdx.x;
    tile[t] = in[t];
    __syncthreads();
    for (int stride = 64; stride > 0; stride /= 2) {
        if (t < stride) {
            tile[t] += tile[t + stride];
        }
        __syncthreads();
    }
    if (t == 0) {
        out[0] = tile[0];
    }
}

// An in-place stencil: threads read their neighbours while these write.
// launch: grid 1, block 64; in f32[64] ramp; out f32[64]
extern "C" __global__ void smoothed_in_place(const float* in, float* out) {
    __shared__ float row[64];
    int t = threadIdx.x;
    row[t] = in[t];
    __syncthreads();
    float right = t < 63 ? row[t + 1] : 0.0f;  // with: read by block 0 of row size 64
    row[t] = right - in[t];  // at: shared-race write by block 0 of row size 64
    __syncthreads();
    out[t] = row[t];
}
extern "C" __global__ void smoothed_in_place_fixed(const float* in, float* out) {
    __shared__ float row[64];
    int t = threadIdx.x;
    row[t] = in[t];
    __syncthreads();
    float right = t < 63 ? row[t + 1] : 0.0f;
    __syncthreads();
    row[t] = right - in[t];
    __syncthreads();
    out[t] = row[t];
}

// Threads of one warp without `__syncwarp`, as in code from before Volta.
// launch: grid 1, block 32; in i32[32] ramp; out i32[32]
extern "C" __global__ void without_syncwarp(const int* in, int* out) {
    __shared__ int tile[32];
    int t = threadIdx.x;
    tile[t] = in[t];  // with: write by block 0 of tile size 32
    out[t] = tile[31 - t];  // at: shared-race read by block 0 of tile size 32
}
extern "C" __global__ void without_syncwarp_fixed(const int* in, int* out) {
    __shared__ int tile[32];
    int t = threadIdx.x;
    tile[t] = in[t];
    __syncwarp();
    out[t] = tile[31 - t];
}

// Lanes 16 to 31 write but are not in the mask.
// launch: grid 1, block 32; in i32[32] ramp; out i32[16]
extern "C" __global__ void left_out_of_the_mask(const int* in, int* out) {
    __shared__ int tile[32];
    int t = threadIdx.x;
    tile[t] = in[t];  // with: write by block 0 thread 16 of tile[16] size 32
    if (t < 16) {
        __syncwarp(0x0000ffff);
        out[t] = tile[t] + tile[t + 16];  // at: shared-race read by block 0 thread 0 of tile[16] size 32
    }
}
extern "C" __global__ void left_out_of_the_mask_fixed(const int* in, int* out) {
    __shared__ int tile[32];
    int t = threadIdx.x;
    tile[t] = in[t];
    __syncwarp();
    if (t < 16) {
        __syncwarp(0x0000ffff);
        out[t] = tile[t] + tile[t + 16];
    }
}

// Two lanes write different letters to one byte; in the fixed version each has its own byte, four of them in a word.
// launch: grid 1, block 64; letters u8[64] zero
extern "C" __global__ void one_byte_for_two(unsigned char* letters) {
    __shared__ unsigned char line[64];
    int t = threadIdx.x;
    line[t / 2] = 'a' + t % 26;  // at: shared-race write by block 0 of line size 64 // with: write by block 0 of line size 64
    __syncthreads();
    letters[t] = line[t / 2];
}
extern "C" __global__ void one_byte_for_two_fixed(unsigned char* letters) {
    __shared__ unsigned char line[64];
    int t = threadIdx.x;
    line[t] = 'a' + t % 26;
    __syncthreads();
    letters[t] = line[t];
}

// Bytes of one word: lane 1 reads its neighbour's byte too early. In the fixed version, each lane uses its own byte.
// launch: grid 1, block 32; out u8[32] zero
extern "C" __global__ void neighbours_byte(unsigned char* out) {
    __shared__ unsigned char line[32];
    int t = threadIdx.x;
    line[t] = t;  // with: write by block 0 thread 0 of line[0] size 32
    out[t] = line[t == 1 ? 0 : t];  // at: shared-race read by block 0 thread 1 of line[0] size 32
}
extern "C" __global__ void neighbours_byte_fixed(unsigned char* out) {
    __shared__ unsigned char line[32];
    int t = threadIdx.x;
    line[t] = t;
    out[t] = line[t] * line[t];
}

// launch: grid 1, block 64; in i32[64] mod 8; out i32[8]
extern "C" __global__ void plain_bins(const int* in, int* out) {
    __shared__ int bins[8];
    int t = threadIdx.x;
    if (t < 8) {
        bins[t] = 0;
    }
    __syncthreads();
    bins[in[t]] += 1;  // at: shared-race by block 0 of bins size 8 // with: by block 0 of bins size 8
    __syncthreads();
    if (t < 8) {
        out[t] = bins[t];
    }
}
extern "C" __global__ void plain_bins_fixed(const int* in, int* out) {
    __shared__ int bins[8];
    int t = threadIdx.x;
    if (t < 8) {
        bins[t] = 0;
    }
    __syncthreads();
    atomicAdd(&bins[in[t]], 1);
    __syncthreads();
    if (t < 8) {
        out[t] = bins[t];
    }
}

// A scan alternates between two buffers; a buffer is written again while slow threads still read it.
// launch: grid 1, block 64; in i32[64] fill 1; out i32[64]
extern "C" __global__ void ping_pong(const int* in, int* out) {
    __shared__ int sums[2][64];
    int t = threadIdx.x;
    int from = 0;
    sums[0][t] = in[t];
    for (int d = 1; d < 64; d *= 2) {
        if (d != 4) {
            __syncthreads();
        }
        int left = t >= d ? sums[from][t - d] : 0;  // at: shared-race read by block 0 of sums size 128
        sums[1 - from][t] = sums[from][t] + left;  // with: write by block 0 of sums size 128
        from = 1 - from;
    }
    __syncthreads();
    out[t] = sums[from][t];
}
extern "C" __global__ void ping_pong_fixed(const int* in, int* out) {
    __shared__ int sums[2][64];
    int t = threadIdx.x;
    int from = 0;
    sums[0][t] = in[t];
    for (int d = 1; d < 64; d *= 2) {
        __syncthreads();
        int left = t >= d ? sums[from][t - d] : 0;
        sums[1 - from][t] = sums[from][t] + left;
        from = 1 - from;
    }
    __syncthreads();
    out[t] = sums[from][t];
}

// Warps synchronise in pairs, and read from a warp of the other pair.
// launch: grid 1, block 128; in i32[128] ramp; out i32[128]
extern "C" __global__ void wrong_pair(const int* in, int* out) {
    __shared__ int tile[128];
    int t = threadIdx.x;
    int pair = t / 64;
    tile[t] = in[t];  // with: write by block 0 thread 64 of tile[64] size 128
    asm volatile("bar.sync %0, 64;" ::"r"(pair + 1) : "memory");
    int from = t < 96 ? t + 32 : t;
    out[t] = tile[from];  // at: shared-race read by block 0 thread 32 of tile[64] size 128
}
extern "C" __global__ void wrong_pair_fixed(const int* in, int* out) {
    __shared__ int tile[128];
    int t = threadIdx.x;
    int pair = t / 64;
    tile[t] = in[t];
    asm volatile("bar.sync %0, 64;" ::"r"(pair + 1) : "memory");
    int from = t % 64 < 32 ? t + 32 : t - 32;
    out[t] = tile[from];
}

// The next slice of the vector is stored while slow warps still multiply with the last one.
// launch: grid 1, block 64; matrix f32[8192] mod 3; vector f32[128] mod 5; out f32[64]; columns i32 128
extern "C" __global__ void next_slice(const float* matrix, const float* vector, float* out, int columns) {
    __shared__ float slice[64];
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int first = 0; first < columns; first += 64) {
        slice[t] = vector[first + t];  // at: shared-race write by block 0 of slice size 64
        __syncthreads();
        for (int k = 0; k < 64; ++k) {
            sum += matrix[t * columns + first + k] * slice[k];  // with: read by block 0 of slice size 64
        }
    }
    out[t] = sum;
}
extern "C" __global__ void next_slice_fixed(const float* matrix, const float* vector, float* out, int columns) {
    __shared__ float slice[64];
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int first = 0; first < columns; first += 64) {
        slice[t] = vector[first + t];
        __syncthreads();
        for (int k = 0; k < 64; ++k) {
            sum += matrix[t * columns + first + k] * slice[k];
        }
        __syncthreads();
    }
    out[t] = sum;
}

// A double-buffered tile whose loads are one step ahead, and write the half that is in use.
// launch: grid 1, block 16 16; in f32[1024] ramp; out f32[256]; tiles i32 4
extern "C" __global__ void half_in_use(const float* in, float* out, int tiles) {
    __shared__ float tile[2][16][16];
    int x = threadIdx.x;
    int y = threadIdx.y;
    float sum = 0.0f;
    tile[0][y][x] = in[y * 16 + x];
    for (int k = 0; k < tiles; ++k) {
        __syncthreads();
        if (k + 1 < tiles) {
            tile[k % 2][y][x] = in[(k + 1) * 256 + y * 16 + x];  // at: shared-race write by block 0 of tile size 512
        }
        sum += tile[k % 2][x][y];  // with: read by block 0 of tile size 512
    }
    out[y * 16 + x] = sum;
}
extern "C" __global__ void half_in_use_fixed(const float* in, float* out, int tiles) {
    __shared__ float tile[2][16][16];
    int x = threadIdx.x;
    int y = threadIdx.y;
    float sum = 0.0f;
    tile[0][y][x] = in[y * 16 + x];
    for (int k = 0; k < tiles; ++k) {
        __syncthreads();
        if (k + 1 < tiles) {
            tile[(k + 1) % 2][y][x] = in[(k + 1) * 256 + y * 16 + x];
        }
        sum += tile[k % 2][x][y];
    }
    out[y * 16 + x] = sum;
}

// Two arrays in dynamic shared memory; the second begins too early, in bytes instead of elements.
// launch: grid 1, block 64, shared 512; in f32[64] ramp; out f32[64]
extern "C" __global__ void overlapping_parts(const float* in, float* out) {
    extern __shared__ char memory[];
    int t = threadIdx.x;
    int* counts = reinterpret_cast<int*>(memory);
    float* values = reinterpret_cast<float*>(memory + 64);
    counts[t] = t;  // with: write by block 0 of memory
    values[t] = in[t];  // at: shared-race write by block 0 of memory
    __syncthreads();
    out[t] = values[t] + counts[t];
}
extern "C" __global__ void overlapping_parts_fixed(const float* in, float* out) {
    extern __shared__ char memory[];
    int t = threadIdx.x;
    int* counts = reinterpret_cast<int*>(memory);
    float* values = reinterpret_cast<float*>(memory + 64 * sizeof(int));
    counts[t] = t;
    values[t] = in[t];
    __syncthreads();
    out[t] = values[t] + counts[t];
}

// The total is read before its thread has written it.
// launch: grid 1, block 96; in i32[96] ramp; out i32[96]
extern "C" __global__ void early_total(const int* in, int* out) {
    __shared__ int total;
    int t = threadIdx.x;
    if (t == 95) {
        total = in[t];  // at: shared-race write by block 0 thread 95 of total[0] size 1
    }
    out[t] = in[t] - total;  // with: read by block 0 of total[0] size 1
}
extern "C" __global__ void early_total_fixed(const int* in, int* out) {
    __shared__ int total;
    int t = threadIdx.x;
    if (t == 95) {
        total = in[t];
    }
    __syncthreads();
    out[t] = in[t] - total;
}
