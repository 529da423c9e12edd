// Synchronisation beyond block barriers, correct and incorrect; `@name` marks the line that completes the race,
// `@name_with` the line of the other access.
extern "C" __global__ void lock_right(int* lock, int* count) {
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
extern "C" __global__ void lock_without_release(int* lock, int* count) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      *count = *count + 1;  // @lock_without_release
      atomicExch(lock, 0);
      done = true;
    }
  }
}
extern "C" __global__ void lock_without_acquire(int* lock, int* count) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      *count = *count + 1;  // @lock_without_acquire
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}
extern "C" __global__ void flag_right(int* data, volatile int* flag, int* out) {
  if (blockIdx.x == 0) {
    *data = 42;
    __threadfence();
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
    __threadfence();
    *out = *data;
  }
}
extern "C" __global__ void flag_without_release(int* data, volatile int* flag, int* out) {
  if (blockIdx.x == 0) {
    *(volatile int*)data = 42;  // @flag_without_release_with
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
    __threadfence();
    *out = *data;  // @flag_without_release
  }
}
extern "C" __global__ void flag_without_acquire(int* data, volatile int* flag, int* out) {
  if (blockIdx.x == 0) {
    *data = 42;  // @flag_without_acquire_with
    __threadfence();
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
    *out = *(volatile int*)data;  // @flag_without_acquire
  }
}
extern "C" __global__ void flag_for_the_block_only(int* data, volatile int* flag, int* out) {
  int me = blockIdx.x * blockDim.x + threadIdx.x;
  if (me == 0) {
    *data = 42;  // @flag_for_the_block_only_with
    __threadfence_block();
    *flag = 1;
  }
  if (me == 32) {
    while (*flag == 0) {
    }
    __threadfence_block();
    *out = *data;  // @flag_for_the_block_only
  }
}
extern "C" __global__ void plain_flag(int* data, int* flag, int* out) {
  if (blockIdx.x == 0) {
    *data = 42;
    __threadfence();
    *flag = 1;  // @plain_flag_with
  } else {
    while (*(volatile int*)flag == 0) {  // @plain_flag
    }
    __threadfence();
    *out = 1;
  }
}
extern "C" __global__ void add_for_the_block_only(int* count) {
  atomicAdd_block(count, 1);  // @add_for_the_block_only
}
extern "C" __global__ void chain(int* data, volatile int* flag, int* out) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      flag[0] = 1;
    }
  } else {
    if (threadIdx.x == 0) {
      while (flag[blockIdx.x - 1] == 0) {
      }
      __threadfence();
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = data[threadIdx.x ^ 1];
    if (threadIdx.x == 0) {
      __threadfence();
      flag[blockIdx.x] = 1;
    }
  }
}
extern "C" __global__ void leader_speaks_too_soon(int* data, volatile int* flag, int* out) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = threadIdx.x;  // @leader_speaks_too_soon_with
    if (threadIdx.x == 0) {
      __threadfence();
      *flag = 1;
    }
  } else {
    if (threadIdx.x == 0) {
      while (*flag == 0) {
      }
      __threadfence();
    }
    __syncthreads();
    out[threadIdx.x] = data[threadIdx.x];  // @leader_speaks_too_soon
  }
}
__device__ unsigned int ticket;
extern "C" __global__ void last_block(const int* in, int* part, int* out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    part[blockIdx.x] = in[blockIdx.x];
    __threadfence();
    last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int sum = 0;
    for (int i = 0; i < gridDim.x; ++i) {
      sum += part[i];
    }
    *out = sum;
  }
}
extern "C" __global__ void last_block_without_fence(const int* in, int* part, int* out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    part[blockIdx.x] = in[blockIdx.x];  // @last_block_without_fence_with
    last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int sum = 0;
    for (int i = 0; i < gridDim.x; ++i) {
      sum += part[i];  // @last_block_without_fence
    }
    __threadfence();
    *out = sum;
  }
}
// Atomics on one variable observe each other, so the last thread may continue without atomics.
extern "C" __global__ void last_one_resets(int* count, int* out) {
  if (atomicAdd(count, 1) == gridDim.x * blockDim.x - 1) {
    *out = *count;
    *count = 0;
  }
}
extern "C" __global__ void first_one_resets(int* count, int* out) {
  if (atomicAdd(count, 1) == 0) {
    *count = 0;  // @first_one_resets_with
  }
}
// All blocks synchronise `rounds` times; in between, each block reads what the others have written.
extern "C" __global__ void grid_meets(int* a, int* b, unsigned int* count, int rounds) {
  int me = blockIdx.x * blockDim.x + threadIdx.x;
  int n = gridDim.x * blockDim.x;
  for (int round = 0; round < rounds; ++round) {
    int* from = round % 2 ? b : a;
    int* to = round % 2 ? a : b;
    to[me] = from[(me + blockDim.x) % n] + from[0];
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(count, 1);
      while (*(volatile unsigned int*)count < gridDim.x * (round + 1)) {
      }
      __threadfence();
    }
    __syncthreads();
  }
}
extern "C" __global__ void grid_meets_without_barrier(int* a, int* b, unsigned int* count) {
  int me = blockIdx.x * blockDim.x + threadIdx.x;
  int n = gridDim.x * blockDim.x;
  b[me] = a[me];  // @grid_meets_without_barrier_with
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(count, 1);
    while (*(volatile unsigned int*)count < gridDim.x) {
    }
    __threadfence();
  }
  __syncthreads();
  a[me] = b[(me + blockDim.x) % n];  // @grid_meets_without_barrier
}
extern "C" __global__ void halves_apart(int* out) {
  __shared__ int tile[32];
  int t = threadIdx.x;
  tile[t] = t;
  __syncwarp(t < 16 ? 0x0000ffff : 0xffff0000);
  out[t] = tile[t ^ 1];
}
extern "C" __global__ void halves_mixed(int* out) {
  __shared__ int tile[32];
  int t = threadIdx.x;
  tile[t] = t;  // @halves_mixed_with
  __syncwarp(t < 16 ? 0x0000ffff : 0xffff0000);
  out[t] = tile[t ^ 16];  // @halves_mixed
}
extern "C" __global__ void pairs_of_warps(int* out) {
  __shared__ int tile[128];
  int t = threadIdx.x;
  tile[t] = t;
  asm volatile("bar.sync %0, 64;" ::"r"(t / 64 + 1) : "memory");
  out[t] = tile[t ^ 32];
}
extern "C" __global__ void pairs_of_warps_mixed(int* out) {
  __shared__ int tile[128];
  int t = threadIdx.x;
  tile[t] = t;  // @pairs_of_warps_mixed_with
  asm volatile("bar.sync %0, 64;" ::"r"(t / 64 + 1) : "memory");
  out[t] = tile[t ^ 64];  // @pairs_of_warps_mixed
}
extern "C" __global__ void producer_goes_on(int* out) {
  __shared__ int tile[32];
  int t = threadIdx.x;
  if (t < 32) {
    tile[t] = t;
    asm volatile("bar.arrive 1, 64;" ::: "memory");
    tile[t] = -t;  // @producer_goes_on_with
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[t - 32] = tile[t - 32];  // @producer_goes_on
  }
  __syncthreads();
  out[32 + t] = tile[t % 32];
}
extern "C" __global__ void mask_not_agreed(int* out) {
  int t = threadIdx.x;
  __syncwarp(t < 16 ? 0xffffffff : 0xffff0000);  // @mask_not_agreed
  out[t] = t;
}
extern "C" __global__ void some_have_left(int* out) {
  int t = threadIdx.x;
  if (t >= 20) {
    return;
  }
  out[t] = t;
  __syncwarp(0xffffffff);
  out[t + 32] = out[t ^ 1];
}
extern "C" __global__ void one_byte(unsigned char* out) {
  out[threadIdx.x / 2] = threadIdx.x;  // @one_byte
}
extern "C" __global__ void one_byte_of_shared(unsigned char* out) {
  __shared__ unsigned char tile[64];
  int t = threadIdx.x;
  tile[t] = t;  // @one_byte_of_shared
  out[t] = tile[t ^ 1];  // @one_byte_of_shared_with
}
extern "C" __global__ void bytes_apart_globally(unsigned char* out, int shift) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i + shift] = i;
  out[i + shift] += 1;
}
extern "C" __global__ void same_byte_same_value(unsigned char* out) { out[threadIdx.x % 7] = 9; }
