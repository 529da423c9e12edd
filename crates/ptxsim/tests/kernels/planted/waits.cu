// Kernels whose warps wait for loads a known number of times. `exec/waits.rs` says what a wait is.

// Each store may change what the next load loads, so the three values are loaded one after the other.
extern "C" __global__ void one_by_one(const float* in, float* out) {
    const int i = threadIdx.x;
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        out[i + 32 * k] = in[i + 32 * k] * 2.0f;
    }
}

// The compiler knows that no store changes `in`.
extern "C" __global__ void restricted(const float* __restrict__ in, float* __restrict__ out) {
    const int i = threadIdx.x;
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        out[i + 32 * k] = in[i + 32 * k] * 2.0f;
    }
}

// All values are loaded before any is used.
extern "C" __global__ void together(const float* in, float* out) {
    const int i = threadIdx.x;
    float values[3];
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        values[k] = in[i + 32 * k];
    }
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        out[i + 32 * k] = values[k] * 2.0f;
    }
}

// The same with a condition around each load, which is a branch.
extern "C" __global__ void guarded(const float* in, float* out, int n) {
    const int i = threadIdx.x;
    float values[3];
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        values[k] = i + 32 * k < n ? in[i + 32 * k] : 0.0f;
    }
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        if (i + 32 * k < n) {
            out[i + 32 * k] = values[k] * 2.0f;
        }
    }
}

// The address of the second load comes from the first one.
extern "C" __global__ void dependent(const int* next, int* out) {
    out[threadIdx.x] = next[next[threadIdx.x]];
}

// The loop runs five times, and its condition reads the value.
extern "C" __global__ void loop(const int* in, int* out) {
    int at = threadIdx.x;
    while (at < 160) {
        at = in[at];
    }
    out[threadIdx.x] = at;
}

// In one array, the compiler sees that other elements are loaded than stored.
extern "C" __global__ void in_place(float* data) {
    const int i = threadIdx.x;
    data[i] += 1.0f;
    data[i + 32] += 1.0f;
}

// What a thread loads after a barrier may be what another one has stored before it.
extern "C" __global__ void barrier(const float* in, float* out) {
    const int i = threadIdx.x;
    out[i] = in[i];
    __syncthreads();
    out[i + 32] = out[(i + 1) % 32];
}
