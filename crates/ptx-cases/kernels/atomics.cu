// Atomics, reductions and scans. A lane with a negative index does nothing.

extern __shared__ __align__(16) unsigned char buffer[];

__device__ void zero(int words) {
  for (int i = threadIdx.x; i < words; i += blockDim.x) {
    reinterpret_cast<int*>(buffer)[i] = 0;
  }
  __syncthreads();
}

#define SHARED_ATOMIC(NAME, T, CALL)                                                     \
  extern "C" __global__ void shared_##NAME(const int* index, T* out, T value) {          \
    zero(2048);                                                                          \
    T* words = reinterpret_cast<T*>(buffer);                                             \
    int at = index[threadIdx.x];                                                         \
    if (at >= 0) {                                                                       \
      CALL;                                                                              \
    }                                                                                    \
    __syncthreads();                                                                     \
    out[threadIdx.x] = words[threadIdx.x];                                               \
  }

SHARED_ATOMIC(add, int, atomicAdd(&words[at], value))
SHARED_ATOMIC(add_returning, int, out[64 + threadIdx.x] = atomicAdd(&words[at], value))
SHARED_ATOMIC(increment, int, atomicAdd(&words[at], 1))
SHARED_ATOMIC(max, int, atomicMax(&words[at], value))
SHARED_ATOMIC(exchange, int, out[64 + threadIdx.x] = atomicExch(&words[at], value))
SHARED_ATOMIC(swap, int, out[64 + threadIdx.x] = atomicCAS(&words[at], 0, value))
SHARED_ATOMIC(add_float, float, atomicAdd(&words[at], value))
SHARED_ATOMIC(add_long, unsigned long long, atomicAdd(&words[at], value))

#define GLOBAL_ATOMIC(NAME, T, CALL)                                                      \
  extern "C" __global__ void global_##NAME(const int* index, T* words, T* out, T value) { \
    int at = index[threadIdx.x];                                                          \
    if (at >= 0) {                                                                        \
      CALL;                                                                               \
    }                                                                                     \
  }

GLOBAL_ATOMIC(add, int, atomicAdd(&words[at], value))
GLOBAL_ATOMIC(add_returning, int, out[threadIdx.x] = atomicAdd(&words[at], value))
GLOBAL_ATOMIC(max, int, atomicMax(&words[at], value))
GLOBAL_ATOMIC(exchange, int, out[threadIdx.x] = atomicExch(&words[at], value))
GLOBAL_ATOMIC(swap, int, out[threadIdx.x] = atomicCAS(&words[at], 0, value))
GLOBAL_ATOMIC(add_float, float, atomicAdd(&words[at], value))
GLOBAL_ATOMIC(add_long, unsigned long long, atomicAdd(&words[at], value))
GLOBAL_ATOMIC(add_double, double, atomicAdd(&words[at], value))

extern "C" __global__ void one_counter(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > 2) {
    atomicAdd(out, 1);
  }
}

extern "C" __global__ void histogram_global(const unsigned char* in, int* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(&bins[in[i]], 1);
  }
}

extern "C" __global__ void histogram_shared(const unsigned char* in, int* bins, int n) {
  __shared__ int own[256];
  own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&own[in[i]], 1);
  }
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

extern "C" __global__ void reduce_divergent(const float* in, float* out) {
  __shared__ float tile[256];
  int t = threadIdx.x;
  tile[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int s = 1; s < 256; s *= 2) {
    if (t % (2 * s) == 0) {
      tile[t] += tile[t + s];
    }
    __syncthreads();
  }
  if (t == 0) {
    out[blockIdx.x] = tile[0];
  }
}

extern "C" __global__ void reduce_strided(const float* in, float* out) {
  __shared__ float tile[256];
  int t = threadIdx.x;
  tile[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int s = 1; s < 256; s *= 2) {
    int at = 2 * s * t;
    if (at < 256) {
      tile[at] += tile[at + s];
    }
    __syncthreads();
  }
  if (t == 0) {
    out[blockIdx.x] = tile[0];
  }
}

extern "C" __global__ void reduce_sequential(const float* in, float* out) {
  __shared__ float tile[256];
  int t = threadIdx.x;
  tile[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int s = 128; s > 0; s /= 2) {
    if (t < s) {
      tile[t] += tile[t + s];
    }
    __syncthreads();
  }
  if (t == 0) {
    out[blockIdx.x] = tile[0];
  }
}

extern "C" __global__ void reduce_shuffle(const float* in, float* out) {
  float v = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int by = 16; by > 0; by /= 2) {
    v += __shfl_down_sync(0xffffffffu, v, by);
  }
  if (threadIdx.x % 32 == 0) {
    atomicAdd(&out[blockIdx.x], v);
  }
}

extern "C" __global__ void scan_naive(const float* in, float* out) {
  __shared__ float tile[2][256];
  int t = threadIdx.x;
  int from = 0;
  tile[0][t] = in[t];
  __syncthreads();
  for (int by = 1; by < 256; by *= 2) {
    float v = tile[from][t];
    if (t >= by) {
      v += tile[from][t - by];
    }
    from = 1 - from;
    tile[from][t] = v;
    __syncthreads();
  }
  out[t] = tile[from][t];
}

extern "C" __global__ void scan_up_and_down(const float* in, float* out) {
  __shared__ float tile[512];
  int t = threadIdx.x;
  tile[2 * t] = in[2 * t];
  tile[2 * t + 1] = in[2 * t + 1];
  for (int d = 256, by = 1; d > 0; d /= 2, by *= 2) {
    __syncthreads();
    if (t < d) {
      tile[by * (2 * t + 2) - 1] += tile[by * (2 * t + 1) - 1];
    }
  }
  if (t == 0) {
    tile[511] = 0.0f;
  }
  for (int d = 1, by = 256; d <= 256; d *= 2, by /= 2) {
    __syncthreads();
    if (t < d) {
      float v = tile[by * (2 * t + 1) - 1];
      tile[by * (2 * t + 1) - 1] = tile[by * (2 * t + 2) - 1];
      tile[by * (2 * t + 2) - 1] += v;
    }
  }
  __syncthreads();
  out[2 * t] = tile[2 * t];
  out[2 * t + 1] = tile[2 * t + 1];
}
