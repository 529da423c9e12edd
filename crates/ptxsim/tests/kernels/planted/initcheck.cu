// Uninitialised reads, one per kernel, and beside each its fixed version.

// The sum is added to an uninitialised output.
// launch: grid 2, block 32; in f32[256] ramp; out f32[64]; n i32 4
extern "C" __global__ void accumulated(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; ++k) {
        out[i] += in[i * n + k];  // at: uninitialised-read read by block 0 thread 0 of out[0] size 64
    }
}
extern "C" __global__ void accumulated_fixed(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 0.0f;
    for (int k = 0; k < n; ++k) {
        out[i] += in[i * n + k];
    }
}

// Because of the guard, the last block leaves slots of its tile uninitialised.
// launch: grid 3, block 32; in i32[80] ramp; out i32[3]; n i32 80
extern "C" __global__ void last_tile(const int* in, int* out, int n) {
    __shared__ int tile[32];
    int t = threadIdx.x;
    int i = blockIdx.x * 32 + t;
    if (i < n) {
        tile[t] = in[i];
    }
    __syncthreads();
    for (int stride = 16; stride > 0; stride /= 2) {
        if (t < stride) {
            tile[t] += tile[t + stride];  // at: uninitialised-read read by block 2 thread 0 of tile[16] size 32
        }
        __syncthreads();
    }
    if (t == 0) {
        out[blockIdx.x] = tile[0];
    }
}
extern "C" __global__ void last_tile_fixed(const int* in, int* out, int n) {
    __shared__ int tile[32];
    int t = threadIdx.x;
    int i = blockIdx.x * 32 + t;
    tile[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int stride = 16; stride > 0; stride /= 2) {
        if (t < stride) {
            tile[t] += tile[t + stride];
        }
        __syncthreads();
    }
    if (t == 0) {
        out[blockIdx.x] = tile[0];
    }
}

// No thread loads the cells left and right of the tile.
// launch: grid 1, block 64; in f32[64] ramp; out f32[64]
extern "C" __global__ void halo(const float* in, float* out) {
    __shared__ float tile[66];
    int t = threadIdx.x;
    tile[t + 1] = in[t];
    __syncthreads();
    out[t] = tile[t] + tile[t + 1] + tile[t + 2];  // at: uninitialised-read read by block 0 thread 0 of tile[0] size 66
}
extern "C" __global__ void halo_fixed(const float* in, float* out) {
    __shared__ float tile[66];
    int t = threadIdx.x;
    tile[t + 1] = in[t];
    if (t == 0) {
        tile[0] = 0.0f;
    }
    if (t == 63) {
        tile[65] = 0.0f;
    }
    __syncthreads();
    out[t] = tile[t] + tile[t + 1] + tile[t + 2];
}

// A 16 by 8 tile, filled as if it were 8 by 8.
// launch: grid 1, block 8 8; in i32[128] ramp; out i32[128] zero
extern "C" __global__ void half_a_tile(const int* in, int* out) {
    __shared__ int tile[8][16];
    int x = threadIdx.x;
    int y = threadIdx.y;
    tile[y][x] = in[y * 16 + x];
    __syncthreads();
    for (int k = x; k < 16; k += 8) {
        out[k * 8 + y] = tile[y][k];  // at: uninitialised-read read by block 0 thread 0 of tile[8] size 128
    }
}
extern "C" __global__ void half_a_tile_fixed(const int* in, int* out) {
    __shared__ int tile[8][16];
    int x = threadIdx.x;
    int y = threadIdx.y;
    tile[y][x] = in[y * 16 + x];
    tile[y][x + 8] = in[y * 16 + x + 8];
    __syncthreads();
    for (int k = x; k < 16; k += 8) {
        out[k * 8 + y] = tile[y][k];
    }
}

// The bins of the thread's private histogram are never set to zero.
// launch: grid 1, block 4; in i32[64] mod 8; out i32[32]
extern "C" __global__ void local_bins(const int* in, int* out) {
    int bins[8];
    for (int i = 0; i < 4; ++i) {
        bins[i * 2] = 0;
    }
    for (int i = 0; i < 16; ++i) {
        bins[in[threadIdx.x * 16 + i]]++;  // at: uninitialised-read read by block 0 thread 0
    }
    for (int i = 0; i < 8; ++i) {
        out[threadIdx.x * 8 + i] = bins[i];
    }
}
extern "C" __global__ void local_bins_fixed(const int* in, int* out) {
    int bins[8];
    for (int i = 0; i < 8; ++i) {
        bins[i] = 0;
    }
    for (int i = 0; i < 16; ++i) {
        bins[in[threadIdx.x * 16 + i]]++;
    }
    for (int i = 0; i < 8; ++i) {
        out[threadIdx.x * 8 + i] = bins[i];
    }
}

// launch: grid 1, block 64, shared 64; in i32[64] mod 16; out i32[16]
extern "C" __global__ void dynamic_bins(const int* in, int* out) {
    extern __shared__ int bins[];
    atomicAdd(&bins[in[threadIdx.x]], 1);  // at: uninitialised-read atomic by block 0 of bins size 16
    __syncthreads();
    if (threadIdx.x < 16) {
        out[threadIdx.x] = bins[threadIdx.x];
    }
}
extern "C" __global__ void dynamic_bins_fixed(const int* in, int* out) {
    extern __shared__ int bins[];
    if (threadIdx.x < 16) {
        bins[threadIdx.x] = 0;
    }
    __syncthreads();
    atomicAdd(&bins[in[threadIdx.x]], 1);
    __syncthreads();
    if (threadIdx.x < 16) {
        out[threadIdx.x] = bins[threadIdx.x];
    }
}

// launch: grid 1, block 96; in i32[96] ramp; out i32[1]
extern "C" __global__ void best_of_block(const int* in, int* out) {
    __shared__ int best;
    atomicMax(&best, in[threadIdx.x]);  // at: uninitialised-read atomic by block 0 of best[0] size 1
    __syncthreads();
    if (threadIdx.x == 0) {
        out[0] = best;
    }
}
extern "C" __global__ void best_of_block_fixed(const int* in, int* out) {
    __shared__ int best;
    if (threadIdx.x == 0) {
        best = 0;
    }
    __syncthreads();
    atomicMax(&best, in[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) {
        out[0] = best;
    }
}

struct Entry {
    char tag;
    int value;
};
// A checksum over whole structs reads the three padding bytes after `tag`.
// launch: grid 1, block 8; entries u8[64]; out i32[8]
extern "C" __global__ void padding(unsigned char* entries, int* out) {
    int t = threadIdx.x;
    Entry* mine = reinterpret_cast<Entry*>(entries) + t;
    mine->tag = 'a' + t;
    mine->value = 1000 * t;
    int sum = 0;
    for (int i = 0; i < 8; ++i) {
        sum = sum * 31 + entries[8 * t + i];  // at: uninitialised-read read by block 0 thread 0 of entries[1] size 64
    }
    out[t] = sum;
}
extern "C" __global__ void padding_fixed(unsigned char* entries, int* out) {
    int t = threadIdx.x;
    Entry* mine = reinterpret_cast<Entry*>(entries) + t;
    mine->tag = 'a' + t;
    mine->value = 1000 * t;
    int sum = mine->tag;
    for (int i = 4; i < 8; ++i) {
        sum = sum * 31 + entries[8 * t + i];
    }
    out[t] = sum;
}

// Three channels are written, four are read at once.
// launch: grid 1, block 32; out u32[32]
extern "C" __global__ void three_of_four_bytes(unsigned* out) {
    __shared__ uchar4 pixels[32];
    int t = threadIdx.x;
    pixels[t].x = t;
    pixels[t].y = 2 * t;
    pixels[t].z = 3 * t;
    __syncthreads();
    out[t] = reinterpret_cast<unsigned*>(pixels)[31 - t];  // at: uninitialised-read read by block 0 thread 0 of pixels[31] size 32
}
extern "C" __global__ void three_of_four_bytes_fixed(unsigned* out) {
    __shared__ uchar4 pixels[32];
    int t = threadIdx.x;
    pixels[t].x = t;
    pixels[t].y = 2 * t;
    pixels[t].z = 3 * t;
    pixels[t].w = 255;
    __syncthreads();
    out[t] = reinterpret_cast<unsigned*>(pixels)[31 - t];
}

// launch: grid 1, block 4; in i32[32] mod 8; out i32[4]
extern "C" __global__ void counted_on_the_heap(const int* in, int* out) {
    int* seen = static_cast<int*>(malloc(8 * sizeof(int)));
    if (seen == nullptr) {
        return;
    }
    for (int i = 0; i < 8; ++i) {
        seen[in[8 * threadIdx.x + i]] += i + 1;  // at: uninitialised-read read by block 0 thread 0 of [0] size 8
    }
    out[threadIdx.x] = seen[threadIdx.x];
    free(seen);
}
extern "C" __global__ void counted_on_the_heap_fixed(const int* in, int* out) {
    int* seen = static_cast<int*>(malloc(8 * sizeof(int)));
    if (seen == nullptr) {
        return;
    }
    for (int i = 0; i < 8; ++i) {
        seen[i] = 0;
    }
    for (int i = 0; i < 8; ++i) {
        seen[in[8 * threadIdx.x + i]] += i + 1;
    }
    out[threadIdx.x] = seen[threadIdx.x];
    free(seen);
}

// One branch writes, both read.
// launch: grid 1, block 64; in i32[64] mod 3; scratch i32[64]; out i32[64]
extern "C" __global__ void skipped_by_a_branch(const int* in, int* scratch, int* out) {
    int t = threadIdx.x;
    if (in[t] > 0) {
        scratch[t] = 100 / in[t];
    }
    __syncthreads();
    out[t] = scratch[63 - t];  // at: uninitialised-read read by block 0 thread 0 of scratch[63] size 64
}
extern "C" __global__ void skipped_by_a_branch_fixed(const int* in, int* scratch, int* out) {
    int t = threadIdx.x;
    scratch[t] = in[t] > 0 ? 100 / in[t] : 0;
    __syncthreads();
    out[t] = scratch[63 - t];
}

// The copy to the device was shorter than the sum.
// launch: grid 4, block 32; in i32[128] ramp 100; out i32[1] zero
extern "C" __global__ void tail_of_the_input(const int* in, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(out, in[i]);  // at: uninitialised-read read by block 3 thread 4 of in[100] size 128
}
// launch: grid 4, block 32; in i32[128] ramp; out i32[1] zero
extern "C" __global__ void tail_of_the_input_fixed(const int* in, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(out, in[i]);
}

// A scratch buffer has two halves that alternate; the first round reads the half that is not yet filled.
// launch: grid 1, block 32; scratch f32[64]; out f32[32]; rounds i32 3
extern "C" __global__ void wrong_half(float* scratch, float* out, int rounds) {
    int t = threadIdx.x;
    scratch[t] = t;
    for (int round = 0; round < rounds; ++round) {
        float* from = scratch + (round % 2 == 0 ? 32 : 0);
        float* to = scratch + (round % 2 == 0 ? 0 : 32);
        to[t] = from[t] + 1.0f;  // at: uninitialised-read read by block 0 thread 0 of scratch[32] size 64
    }
    out[t] = scratch[(rounds % 2) * 32 + t];
}
extern "C" __global__ void wrong_half_fixed(float* scratch, float* out, int rounds) {
    int t = threadIdx.x;
    scratch[t] = t;
    for (int round = 0; round < rounds; ++round) {
        float* from = scratch + (round % 2 == 0 ? 0 : 32);
        float* to = scratch + (round % 2 == 0 ? 32 : 0);
        to[t] = from[t] + 1.0f;
    }
    out[t] = scratch[(rounds % 2) * 32 + t];
}

// Fewer items were queued than are read.
// launch: grid 1, block 64; in i32[64] ramp; out i32[64]
extern "C" __global__ void longer_than_the_queue(const int* in, int* out) {
    __shared__ int queue[64];
    __shared__ int count;
    int t = threadIdx.x;
    if (t == 0) {
        count = 0;
    }
    __syncthreads();
    if (in[t] % 4 == 0) {
        queue[atomicAdd(&count, 1)] = in[t];
    }
    __syncthreads();
    out[t] = queue[t];  // at: uninitialised-read read by block 0 thread 16 of queue[16] size 64
}
extern "C" __global__ void longer_than_the_queue_fixed(const int* in, int* out) {
    __shared__ int queue[64];
    __shared__ int count;
    int t = threadIdx.x;
    if (t == 0) {
        count = 0;
    }
    __syncthreads();
    if (in[t] % 4 == 0) {
        queue[atomicAdd(&count, 1)] = in[t];
    }
    __syncthreads();
    out[t] = t < count ? queue[t] / 64 : -1;
}

struct alignas(16) Body {
    double x, y, z, mass;
};
// Three fields of four are written.
// launch: grid 1, block 32; in f64[96] ramp; out f64[32]
extern "C" __global__ void massless(const double* in, double* out) {
    __shared__ Body bodies[32];
    int t = threadIdx.x;
    bodies[t].x = in[3 * t];
    bodies[t].y = in[3 * t + 1];
    bodies[t].z = in[3 * t + 2];
    __syncthreads();
    Body other = bodies[31 - t];  // at: uninitialised-read read by block 0 thread 0 of bodies[127] size 128
    out[t] = other.x + other.mass;
}
extern "C" __global__ void massless_fixed(const double* in, double* out) {
    __shared__ Body bodies[32];
    int t = threadIdx.x;
    bodies[t].x = in[3 * t];
    bodies[t].y = in[3 * t + 1];
    bodies[t].z = in[3 * t + 2];
    bodies[t].mass = 1.0;
    __syncthreads();
    Body other = bodies[31 - t];
    out[t] = other.x + other.mass;
}

// An exclusive scan never writes its first slot.
// launch: grid 1, block 32; in i32[32] ramp; out i32[32]
extern "C" __global__ void first_of_the_scan(const int* in, int* out) {
    __shared__ int before[33];
    int t = threadIdx.x;
    int sum = in[t];
    for (int d = 1; d < 32; d *= 2) {
        int left = __shfl_up_sync(0xffffffff, sum, d);
        sum += t >= d ? left : 0;
    }
    before[t + 1] = sum;
    __syncthreads();
    out[t] = before[t];  // at: uninitialised-read read by block 0 thread 0 of before[0] size 33
}
extern "C" __global__ void first_of_the_scan_fixed(const int* in, int* out) {
    __shared__ int before[33];
    int t = threadIdx.x;
    int sum = in[t];
    for (int d = 1; d < 32; d *= 2) {
        int left = __shfl_up_sync(0xffffffff, sum, d);
        sum += t >= d ? left : 0;
    }
    before[t + 1] = sum;
    if (t == 0) {
        before[0] = 0;
    }
    __syncthreads();
    out[t] = before[t];
}
