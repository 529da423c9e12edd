// Shared memory: every thread of a block stores, waits at a barrier and loads, with all kinds of addresses and widths.
// A lane with a negative index does nothing.

extern __shared__ __align__(16) unsigned char buffer[];

template <typename T>
__device__ void fill(int elements) {
  T* shared = reinterpret_cast<T*>(buffer);
  for (int i = threadIdx.x; i < elements; i += blockDim.x) {
    shared[i] = T{};
  }
  __syncthreads();
}

#define PATTERN(NAME, T)                                                                        \
  extern "C" __global__ void load_##NAME(const int* index, T* out, int elements) {              \
    fill<T>(elements);                                                                          \
    int at = index[threadIdx.x];                                                                \
    if (at >= 0) {                                                                              \
      out[threadIdx.x] = reinterpret_cast<T*>(buffer)[at];                                      \
    }                                                                                           \
  }                                                                                             \
  extern "C" __global__ void store_##NAME(const int* index, const T* in, T* out) {              \
    int at = index[threadIdx.x];                                                                \
    T v = in[threadIdx.x];                                                                      \
    if (at >= 0) {                                                                              \
      reinterpret_cast<T*>(buffer)[at] = v;                                                     \
    }                                                                                           \
    __syncthreads();                                                                            \
    if (threadIdx.x == 0 && at >= 0) {                                                          \
      out[0] = reinterpret_cast<T*>(buffer)[at];                                                \
    }                                                                                           \
  }

PATTERN(char, char)
PATTERN(short, short)
PATTERN(int, int)
PATTERN(long, long long)
PATTERN(int2, int2)
PATTERN(int4, int4)

template <int PITCH>
__device__ void transpose_tile(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[32][PITCH];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) {
    if (x < cols && y + k < rows) {
      tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * cols + x];
    }
  }
  __syncthreads();
  int row = blockIdx.x * 32 + threadIdx.y;
  int col = blockIdx.y * 32 + threadIdx.x;
  for (int k = 0; k < 32; k += 8) {
    if (row + k < cols && col < rows) {
      out[(row + k) * rows + col] = tile[threadIdx.x][threadIdx.y + k];
    }
  }
}

extern "C" __global__ void transpose_naive(const float* in, float* out, int rows, int cols) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < cols && y < rows) {
    out[x * rows + y] = in[y * cols + x];
  }
}

extern "C" __global__ void transpose_tiled(const float* in, float* out, int rows, int cols) {
  transpose_tile<32>(in, out, rows, cols);
}

extern "C" __global__ void transpose_padded(const float* in, float* out, int rows, int cols) {
  transpose_tile<33>(in, out, rows, cols);
}

extern "C" __global__ void transpose_padded_by_two(const float* in, float* out, int rows, int cols) {
  transpose_tile<34>(in, out, rows, cols);
}

extern "C" __global__ void transpose_swizzled(const float* in, float* out, int size) {
  __shared__ float tile[32][32];
  int x = threadIdx.x;
  int y = threadIdx.y;
  tile[y][x ^ y] = in[(blockIdx.y * 32 + y) * size + blockIdx.x * 32 + x];
  __syncthreads();
  out[(blockIdx.x * 32 + y) * size + blockIdx.y * 32 + x] = tile[x][x ^ y];
}

template <int PITCH>
__device__ void transpose_doubles(const double* in, double* out) {
  __shared__ double tile[16][PITCH];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 16 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

extern "C" __global__ void transpose_doubles_tiled(const double* in, double* out) {
  transpose_doubles<16>(in, out);
}

extern "C" __global__ void transpose_doubles_padded(const double* in, double* out) {
  transpose_doubles<17>(in, out);
}

extern "C" __global__ void reverse(const int* in, int* out) {
  __shared__ int tile[256];
  int base = blockIdx.x * blockDim.x;
  tile[threadIdx.x] = in[base + threadIdx.x];
  __syncthreads();
  out[base + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

extern "C" __global__ void stencil_shared(const float* in, float* out, int n) {
  __shared__ float tile[128 + 6];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x + 3] = i < n ? in[i] : 0.0f;
  if (threadIdx.x < 3) {
    tile[threadIdx.x] = i >= 3 ? in[i - 3] : 0.0f;
    tile[threadIdx.x + 131] = i + 128 < n ? in[i + 128] : 0.0f;
  }
  __syncthreads();
  float sum = 0.0f;
  for (int k = 0; k < 7; ++k) {
    sum += tile[threadIdx.x + k];
  }
  if (i < n) {
    out[i] = sum;
  }
}

extern "C" __global__ void matmul_naive(const float* a, const float* b, float* out, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) {
    sum += a[row * n + k] * b[k * n + col];
  }
  out[row * n + col] = sum;
}

extern "C" __global__ void matmul_tiled(const float* a, const float* b, float* out, int n) {
  __shared__ float left[16][16];
  __shared__ float right[16][16];
  int row = blockIdx.y * 16 + threadIdx.y;
  int col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0.0f;
  for (int t = 0; t < n; t += 16) {
    left[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + col];
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
      sum += left[threadIdx.y][k] * right[k][threadIdx.x];
    }
    __syncthreads();
  }
  out[row * n + col] = sum;
}
