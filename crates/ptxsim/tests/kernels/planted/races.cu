// One race per kernel; `@name` marks the line that completes it, `@name_with` the line of the other access.
extern "C" __global__ void sum_kernel(const int* in, int* out) {
  __shared__ int smem[128];
  int t = threadIdx.x;
  smem[t] = in[t] + t;  // @sum_kernel_with
  if (t == 0) {
    int sum = 0;
    for (int i = 0; i < 128; ++i) {
      sum += smem[i];  // @sum_kernel
    }
    *out = sum;
  }
}
extern "C" __global__ void neighbour(int* out) {
  __shared__ int tile[96];
  int t = threadIdx.x;
  tile[t] = t;  // @neighbour_with
  out[t] = tile[(t + 32) % 96];  // @neighbour
}
extern "C" __global__ void neighbour_right(int* out) {
  __shared__ int tile[96];
  int t = threadIdx.x;
  tile[t] = t;
  __syncthreads();
  out[t] = tile[(t + 32) % 96];
}
extern "C" __global__ void overwrite(int* out) {
  __shared__ int tile[96];
  int t = threadIdx.x;
  tile[t] = t;
  __syncthreads();
  int v = tile[(t + 32) % 96];  // @overwrite_with
  tile[t] = v + 1;  // @overwrite
  __syncthreads();
  out[t] = tile[t];
}
extern "C" __global__ void second_round(int* out) {
  __shared__ int tile[64];
  int t = threadIdx.x;
  tile[t] = t;
  __syncthreads();
  for (int k = 32; k > 0; k /= 2) {
    if (t < k) {
      tile[t] += tile[t + k];  // @second_round
    }
  }
  out[t] = tile[0];
}
extern "C" __global__ void together(int* out) {
  __shared__ int slot;
  slot = threadIdx.x;  // @together
  __syncthreads();
  out[threadIdx.x] = slot;
}
extern "C" __global__ void together_alike(int* out) {
  __shared__ int slot;
  slot = 7;
  __syncthreads();
  out[threadIdx.x] = slot;
}
extern "C" __global__ void no_syncwarp(int* out) {
  __shared__ int tile[32];
  int t = threadIdx.x;
  tile[t] = t;  // @no_syncwarp_with
  out[t] = tile[t ^ 1];  // @no_syncwarp
}
extern "C" __global__ void with_syncwarp(int* out) {
  __shared__ int tile[32];
  int t = threadIdx.x;
  tile[t] = t;
  __syncwarp();
  out[t] = tile[t ^ 1];
}
extern "C" __global__ void bytes_apart(unsigned char* out) {
  __shared__ unsigned char tile[64];
  int t = threadIdx.x;
  tile[t] = t;
  __syncthreads();
  out[t] = tile[t ^ 1];
}
extern "C" __global__ void between_blocks(int* out) {
  out[threadIdx.x] = blockIdx.x;  // @between_blocks
}
extern "C" __global__ void within_block(int* out) {
  out[threadIdx.x / 2] = threadIdx.x;  // @within_block
}
extern "C" __global__ void increment(int* count) {
  *count += 1;  // @increment
}
extern "C" __global__ void increment_right(int* count) {
  atomicAdd(count, 1);
}
extern "C" __global__ void atomic_and_plain(int* count, int* out) {
  atomicAdd(count, 1);  // @atomic_and_plain_with
  if (threadIdx.x == 40) {
    *out = *count;  // @atomic_and_plain
  }
}
extern "C" __global__ void stencil_in_place(float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n) {
    a[i] = a[i + 1] * 0.5f;  // @stencil_in_place
  }
}
extern "C" __global__ void locked(int* lock, int* count) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      *count = *count + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}
extern "C" __global__ void handed_over(int* data, volatile int* flag, int* out) {
  if (threadIdx.x == 0) {
    *data = 42;
    __threadfence();
    *flag = 1;
  }
  if (threadIdx.x == 32) {
    while (*flag == 0) {
    }
    __threadfence();
    *out = *data;
  }
}
