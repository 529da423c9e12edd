// One synchronisation fault or endless loop per kernel; `@name` marks the line that must be reported.
extern "C" __global__ void early_return(int* out, int n) {
  int t = threadIdx.x;
  if (t >= n) {
    return;  // @early_return_with
  }
  out[t] = t;
  __syncthreads();  // @early_return
  out[t] += 1;
}
extern "C" __global__ void in_an_if(int* out) {
  int t = threadIdx.x;
  if (t < 16) {
    out[t] = t;
    __syncthreads();  // @in_an_if
  }
  out[t] += 1;
}
extern "C" __global__ void trip_counts(int* out, int n) {
  int t = threadIdx.x;
  for (int i = 0; i <= t % n; ++i) {
    out[t] += i;
    __syncthreads();  // @trip_counts
  }
}
extern "C" __global__ void two_barriers(int* out) {
  if (threadIdx.x < 32) {
    asm volatile("bar.sync 1;" ::: "memory");  // @two_barriers_one
  } else {
    asm volatile("bar.sync 2;" ::: "memory");  // @two_barriers_two
  }
  out[threadIdx.x] = 1;
}
extern "C" __global__ void producer_consumer(int* out) {
  __shared__ int tile[32];
  if (threadIdx.x < 32) {
    tile[threadIdx.x] = threadIdx.x;
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[threadIdx.x - 32] = tile[threadIdx.x - 32];
  }
}
extern "C" __global__ void named_half(int* out) {
  int half = threadIdx.x / 32;
  asm volatile("bar.sync %0, 32;" ::"r"(half + 1) : "memory");
  out[threadIdx.x] = half;
}
extern "C" __global__ void shuffle_half(int* out) {
  int v = threadIdx.x;
  if (threadIdx.x < 16) {
    v = __shfl_xor_sync(0xffffffff, v, 1);  // @shuffle_half
  }
  __syncthreads();
  out[threadIdx.x] = v;
}
extern "C" __global__ void shuffle_outside(int* out) {
  out[threadIdx.x] = __shfl_xor_sync(0x0000ffff, (int)threadIdx.x, 1);  // @shuffle_outside
}
extern "C" __global__ void shuffle_right(int* out) {
  int v = threadIdx.x;
  if (threadIdx.x < 16) {
    v = __shfl_xor_sync(0x0000ffff, v, 1);
  }
  __syncthreads();
  out[threadIdx.x] = v;
}
extern "C" __global__ void endless(int* out, int step) {
  int i = 1;
  while (i != 0) {
    i += step;  // @endless
    out[0] = i;
  }
}
extern "C" __global__ void spin(volatile int* flag) {
  while (*flag == 0) {  // @spin
  }
}
__device__ __noinline__ int deeper(int* out, int n) {
  out[0] = n;
  return n + 3 * deeper(out, n + 1);  // @recursion
}
extern "C" __global__ void recursion(int* out) { out[1] = deeper(out, 0); }
extern "C" __global__ void trap(const int* in) {
  if (in[threadIdx.x] == 7) {
    __trap();  // @trap
  }
}
