// Memory faults, one per kernel, and beside each its fixed version. `launch:`, `at:` and `with:` are explained in
// tests/suite/planted/expect.rs.

// launch: grid 5, block 32; x f32[128] ramp; out f32[128]; n i32 128
extern "C" __global__ void last_element(const float* x, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) {
        out[i] = 2.0f * x[i];  // at: out-of-bounds write by block 4 thread 0 of out[128] size 128
    }
}
extern "C" __global__ void last_element_fixed(const float* x, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = 2.0f * x[i];
    }
}

// launch: grid 2, block 32; in f32[64] ramp; out f32[64]; n i32 64
extern "C" __global__ void before_start(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float left = in[i - 1];  // at: out-of-bounds read by block 0 thread 0 of in[-1] size 64
        out[i] = in[i] - left;
    }
}
extern "C" __global__ void before_start_fixed(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float left = i > 0 ? in[i - 1] : 0.0f;
        out[i] = in[i] - left;
    }
}

// 20 rows of 40: rows and columns are mixed up in the guard.
// launch: grid 3 3, block 16 16; in i32[800] ramp; out i32[800] zero; rows i32 20; cols i32 40
extern "C" __global__ void swapped_guard(const int* in, int* out, int rows, int cols) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < cols && col < rows) {
        int i = row * cols + col;
        out[i] = in[i] + 1;  // at: out-of-bounds write by block 0 1 thread 0 4 of out[800] size 800
    }
}
extern "C" __global__ void swapped_guard_fixed(const int* in, int* out, int rows, int cols) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows && col < cols) {
        int i = row * cols + col;
        out[i] = in[i] + 1;
    }
}

// A multiplicative hash in `int`: the product overflows, the remainder is negative.
// launch: grid 1, block 32; keys i32[32] ramp; bins i32[16] zero
extern "C" __global__ void negative_hash(const int* keys, int* bins) {
    int hash = keys[threadIdx.x] * 1640531527;
    atomicAdd(&bins[hash % 16], 1);  // at: out-of-bounds atomic by block 0 thread 2 of bins[-2] size 16
}
extern "C" __global__ void negative_hash_fixed(const int* keys, int* bins) {
    unsigned hash = keys[threadIdx.x] * 1640531527u;
    atomicAdd(&bins[hash % 16], 1);
}

// Rows of 33 floats: only every fourth is aligned for a float4.
// launch: grid 1, block 8; in f32[264] ramp; out f32[8]
extern "C" __global__ void misaligned_rows(const float* in, float* out) {
    const float* row = in + threadIdx.x * 33;
    float4 v = *reinterpret_cast<const float4*>(row);  // at: misaligned read by block 0 thread 1 of in[33] size 264
    out[threadIdx.x] = v.x + v.y + v.z + v.w;
}
extern "C" __global__ void misaligned_rows_fixed(const float* in, float* out) {
    const float* row = in + threadIdx.x * 33;
    out[threadIdx.x] = row[0] + row[1] + row[2] + row[3];
}

// Records after a header of four bytes.
// launch: grid 1, block 4; file u8[40] zero
extern "C" __global__ void misaligned_record(unsigned char* file) {
    double* records = reinterpret_cast<double*>(file + 4);
    records[threadIdx.x] = 1.5;  // at: misaligned write by block 0 thread 0 of file
}
extern "C" __global__ void misaligned_record_fixed(unsigned char* file) {
    double* records = reinterpret_cast<double*>(file + 8);
    records[threadIdx.x] = 1.5;
}

// The second output is optional, and the launch passes a null pointer.
// launch: grid 1, block 32; in f32[32] ramp; squares f32[32]; cubes u64 0
extern "C" __global__ void null_output(const float* in, float* squares, float* cubes) {
    int t = threadIdx.x;
    squares[t] = in[t] * in[t];
    cubes[t] = in[t] * in[t] * in[t];  // at: invalid-address write by block 0 thread 0
}
extern "C" __global__ void null_output_fixed(const float* in, float* squares, float* cubes) {
    int t = threadIdx.x;
    squares[t] = in[t] * in[t];
    if (cubes) {
        cubes[t] = in[t] * in[t] * in[t];
    }
}

// launch: grid 1, block 32; in u64 0x7ffd5c3e1a40; out f32[32]
extern "C" __global__ void host_pointer(const float* in, float* out) {
    out[threadIdx.x] = in[threadIdx.x];  // at: invalid-address read by block 0 thread 0
}
// launch: grid 1, block 32; in f32[32] ramp; out f32[32]
extern "C" __global__ void host_pointer_fixed(const float* in, float* out) {
    out[threadIdx.x] = in[threadIdx.x];
}

// An address kept in an int loses its upper half.
// launch: grid 1, block 32; in f32[64] ramp; out f32[32]
extern "C" __global__ void truncated_pointer(const float* in, float* out) {
    int address = static_cast<int>(reinterpret_cast<size_t>(in + 32));
    const float* half = reinterpret_cast<const float*>(static_cast<size_t>(address));
    out[threadIdx.x] = half[threadIdx.x];  // at: invalid-address read
}
extern "C" __global__ void truncated_pointer_fixed(const float* in, float* out) {
    size_t address = reinterpret_cast<size_t>(in + 32);
    const float* half = reinterpret_cast<const float*>(address);
    out[threadIdx.x] = half[threadIdx.x];
}

// One slot too few for the total, which lands in the next array.
// launch: grid 1, block 32; in i32[32] ramp; out i32[32]
extern "C" __global__ void shared_next_door(const int* in, int* out) {
    __shared__ int prefix[32];
    __shared__ int copy[32];
    int t = threadIdx.x;
    copy[t] = in[t];
    __syncthreads();
    int sum = 0;
    for (int i = 0; i <= t; ++i) {
        sum += copy[i];
    }
    prefix[t + 1] = sum;  // at: out-of-bounds write by block 0 thread 31 of prefix[32] size 32
    __syncthreads();
    out[t] = t > 0 ? prefix[t] : 0;
}
extern "C" __global__ void shared_next_door_fixed(const int* in, int* out) {
    __shared__ int prefix[33];
    __shared__ int copy[32];
    int t = threadIdx.x;
    copy[t] = in[t];
    __syncthreads();
    int sum = 0;
    for (int i = 0; i <= t; ++i) {
        sum += copy[i];
    }
    prefix[t + 1] = sum;
    __syncthreads();
    out[t] = t > 0 ? prefix[t] : 0;
}

// Far past the end, in the middle of another array.
// launch: grid 1, block 32; out f32[32]; row i32 3
extern "C" __global__ void shared_far_away(float* out, int row) {
    __shared__ float small[2][32];
    __shared__ float large[8][32];
    int t = threadIdx.x;
    for (int r = 0; r < 8; ++r) {
        large[r][t] = r;
    }
    small[0][t] = 1.0f;
    small[row][t] = 2.0f;  // at: out-of-bounds write by block 0 thread 0 of small[96] size 64
    __syncthreads();
    out[t] = small[0][31 - t] + large[row][31 - t];
}
extern "C" __global__ void shared_far_away_fixed(float* out, int row) {
    __shared__ float small[2][32];
    __shared__ float large[8][32];
    int t = threadIdx.x;
    for (int r = 0; r < 8; ++r) {
        large[r][t] = r;
    }
    small[0][t] = 1.0f;
    small[row % 2][t] = 2.0f;
    __syncthreads();
    out[t] = small[0][31 - t] + large[row][31 - t];
}

// The allocation has as many bytes as it should have elements.
// launch: grid 1, block 64, shared 64; in f32[64] ramp; out f32[64]
extern "C" __global__ void dynamic_bytes(const float* in, float* out) {
    extern __shared__ float buffer[];
    int t = threadIdx.x;
    buffer[t] = in[t];  // at: out-of-bounds write by block 0 thread 16 of buffer[16] size 16
    __syncthreads();
    out[t] = buffer[63 - t];  // also: out-of-bounds read by block 0 thread 0 of buffer[63] size 16
}
// launch: grid 1, block 64, shared 256; in f32[64] ramp; out f32[64]
extern "C" __global__ void dynamic_bytes_fixed(const float* in, float* out) {
    extern __shared__ float buffer[];
    int t = threadIdx.x;
    buffer[t] = in[t];
    __syncthreads();
    out[t] = buffer[63 - t];
}

// launch: grid 1, block 8; in i32[128] ramp; out i32[8]; n i32 9
extern "C" __global__ void local_window(const int* in, int* out, int n) {
    int window[8];
    for (int i = 0; i < 8; ++i) {
        window[i] = 0;
    }
    for (int i = 0; i < n; ++i) {
        window[(i * 5) % n] = in[threadIdx.x * 16 + i];  // at: out-of-bounds write by block 0 thread 0 of [8] size 8
    }
    out[threadIdx.x] = window[threadIdx.x];
}
extern "C" __global__ void local_window_fixed(const int* in, int* out, int n) {
    int window[8];
    for (int i = 0; i < 8; ++i) {
        window[i] = 0;
    }
    for (int i = 0; i < n; ++i) {
        window[(i * 5) % 8] = in[threadIdx.x * 16 + i];
    }
    out[threadIdx.x] = window[threadIdx.x];
}

// Three arrays of n in one buffer, and a wrong start for the third.
// launch: grid 1, block 32; points f32[96] ramp; out f32[32]; n i32 32
extern "C" __global__ void struct_of_arrays(const float* points, float* out, int n) {
    const float* x = points;
    const float* y = points + n;
    const float* z = points + 3 * n;
    int i = threadIdx.x;
    float xy = x[i] * x[i] + y[i] * y[i];
    out[i] = xy + z[i] * z[i];  // at: out-of-bounds read by block 0 thread 0 of points[96] size 96
}
extern "C" __global__ void struct_of_arrays_fixed(const float* points, float* out, int n) {
    const float* x = points;
    const float* y = points + n;
    const float* z = points + 2 * n;
    int i = threadIdx.x;
    float xy = x[i] * x[i] + y[i] * y[i];
    out[i] = xy + z[i] * z[i];
}

// A grid-stride loop that takes two elements at a time, and forgets the tail.
// launch: grid 2, block 32; in i32[100] ramp; out i32[64]; n i32 100
extern "C" __global__ void two_at_a_time(const int* in, int* out, int n) {
    int stride = gridDim.x * blockDim.x;
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (int i = first; i < n; i += 2 * stride) {
        sum += in[i];
        sum += in[i + stride];  // at: out-of-bounds read by block 1 thread 4 of in[100] size 100
    }
    out[first] = sum;
}
extern "C" __global__ void two_at_a_time_fixed(const int* in, int* out, int n) {
    int stride = gridDim.x * blockDim.x;
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (int i = first; i < n; i += 2 * stride) {
        sum += in[i];
        if (i + stride < n) {
            sum += in[i + stride];
        }
    }
    out[first] = sum;
}

// The radius reaches one element beyond the filter.
__constant__ float weights[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
// launch: grid 1, block 32; in f32[40] ramp; out f32[32]; taps i32 6
extern "C" __global__ void constant_filter(const float* in, float* out, int taps) {
    float sum = 0.0f;
    for (int k = 0; k < taps; ++k) {
        sum += weights[k] * in[threadIdx.x + k];  // at: out-of-bounds read by block 0 thread 0 of weights[5] size 5
    }
    out[threadIdx.x] = sum;
}
// launch: grid 1, block 32; in f32[40] ramp; out f32[32]; taps i32 5
extern "C" __global__ void constant_filter_fixed(const float* in, float* out, int taps) {
    float sum = 0.0f;
    for (int k = 0; k < taps; ++k) {
        sum += weights[k] * in[threadIdx.x + k];
    }
    out[threadIdx.x] = sum;
}

// `const` is cast away from a pointer that may point at the constant table.
__constant__ int defaults[32] = {7};
// launch: grid 1, block 32; own i32[32] ramp; use_own i32 0
extern "C" __global__ void written_constant(int* own, int use_own) {
    const int* settings = use_own ? own : defaults;
    const_cast<int*>(settings)[threadIdx.x] = 5;  // at: out-of-bounds write by block 0 thread 0 of defaults[0]
}
// launch: grid 1, block 32; own i32[32] ramp; use_own i32 1
extern "C" __global__ void written_constant_fixed(int* own, int use_own) {
    const int* settings = use_own ? own : defaults;
    if (use_own) {
        const_cast<int*>(settings)[threadIdx.x] = 5;
    }
}

// There is no room for the terminating zero of a string.
// launch: grid 1, block 64; text u8[64] fill 97; n i32 64
extern "C" __global__ void terminator(unsigned char* text, int n) {
    int t = threadIdx.x;
    text[t] -= 32;
    if (t == 0) {
        text[n] = 0;  // at: out-of-bounds write by block 0 thread 0 of text[64] size 64
    }
}
extern "C" __global__ void terminator_fixed(unsigned char* text, int n) {
    int t = threadIdx.x;
    if (t == n - 1) {
        text[t] = 0;
    } else {
        text[t] -= 32;
    }
}

// A cyclic list, followed by recursion.
__device__ __noinline__ int length(const int* next, int node) {
    if (node < 0) {
        return 0;
    }
    int rest = length(next, next[node]);  // at: stack-overflow
    return (rest ^ node) + 1;
}
// launch: grid 1, block 32; next i32[4] {1, 2, 3, 1}; out i32[32]
extern "C" __global__ void endless_list(const int* next, int* out) {
    out[threadIdx.x] = length(next, threadIdx.x % 4);
}
extern "C" __global__ void endless_list_fixed(const int* next, int* out) {
    int steps = 0;
    for (int node = threadIdx.x % 4; node >= 0 && steps < 4; node = next[node]) {
        ++steps;
    }
    out[threadIdx.x] = steps;
}
