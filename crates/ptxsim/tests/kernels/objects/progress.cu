#include <cooperative_groups.h>
// Threads that wait for others. Kernels that can end must end in every order; the others must have a finding.

// ---- these kernels end

extern "C" __global__ void lanes_of_one_lock(int *lock, int *count) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *(volatile int *)count = *(volatile int *)count + 1;
  __threadfence();
  atomicExch(lock, 0);
}

extern "C" __global__ void warps_of_one_lock(int *lock, int *count) {
  if (threadIdx.x % 32 == 0) {
    unsigned wait = 8;
    while (atomicCAS(lock, 0, 1) != 0) {
      __nanosleep(wait);
      if (wait < 256) wait *= 2;
    }
    __threadfence();
    *(volatile int *)count = *(volatile int *)count + 1;
    __threadfence();
    atomicExch(lock, 0);
  }
}

extern "C" __global__ void tickets(unsigned *next, volatile unsigned *serving, int *order) {
  unsigned mine = atomicAdd(next, 1);
  while (*serving != mine) {
  }
  __threadfence();
  order[mine] = blockIdx.x * blockDim.x + threadIdx.x;
  __threadfence();
  *serving = mine + 1;
}

extern "C" __global__ void flag_in_a_warp(volatile int *flag, int *out) {
  if (threadIdx.x % 2 == 0) {
    while (flag[threadIdx.x + 1] == 0) {
    }
    out[threadIdx.x] = 1;
  } else {
    flag[threadIdx.x] = 1;
  }
}

// blocks pass a value on, to higher or to lower numbers
extern "C" __global__ void chain(volatile int *flag, volatile int *value, int up) {
  int n = gridDim.x, me = up ? blockIdx.x : n - 1 - blockIdx.x;
  if (threadIdx.x != 0) return;
  int before = 0;
  if (me > 0) {
    while (flag[me - 1] == 0) {
    }
    __threadfence();
    before = value[me - 1];
  }
  value[me] = before + me;
  __threadfence();
  flag[me] = 1;
}

// decoupled look-back: state 1 is the block's own sum, 2 the sum up to it
extern "C" __global__ void look_back(const int *x, int *out, unsigned *ticket, volatile int *state, volatile int *own,
                                     volatile int *upto) {
  __shared__ int s[64], base;
  __shared__ unsigned tile;
  int t = threadIdx.x;
  if (t == 0) tile = atomicAdd(ticket, 1);
  __syncthreads();
  int me = tile;
  s[t] = x[me * 64 + t];
  __syncthreads();
  for (int d = 1; d < 64; d *= 2) {
    int v = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += v;
    __syncthreads();
  }
  if (t == 0) {
    own[me] = s[63];
    __threadfence();
    state[me] = 1;
    int sum = 0;
    for (int k = me - 1; k >= 0;) {
      int seen = state[k];
      __threadfence();
      if (seen == 2) {
        sum += upto[k];
        break;
      }
      if (seen == 1) sum += own[k--];
    }
    upto[me] = sum + s[63];
    __threadfence();
    state[me] = 2;
    base = sum;
  }
  __syncthreads();
  out[me * 64 + t] = base + s[t];
}

// loops that a counter or a clock ends
extern "C" __global__ void patience(volatile int *flag, int *out, int tries) {
  int n = 0;
  while (*flag == 0 && n < tries) ++n;
  out[0] = n;
  long long start = clock64();
  while (*flag == 0 && clock64() - start < 100000) {
  }
  out[1] = 1;
}

// one thread changes the word long after the others have started to wait for it
extern "C" __global__ void late(volatile int *flag, int *out, int rounds) {
  if (threadIdx.x == 0) {
    unsigned v = 1;
    for (int i = 0; i < rounds; ++i) v = v * 1664525u + 1013904223u;
    out[1] = v;
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
    out[0] = 1;
  }
}

// ---- these kernels never end

extern "C" __global__ void twice(int *lock, int *out) {
  for (int i = 0; i < 2; ++i) {
    while (atomicCAS(&lock[2], 0, 1) != 0) {  // @twice
    }
    out[i] = 1;
  }
}

extern "C" __global__ void nobody_sets(volatile int *flag, int *out) {
  while (flag[3] == 0) {  // @nobody_sets
  }
  out[threadIdx.x] = 1;
}

extern "C" __global__ void circle(volatile int *flag, int *out) {
  if (blockIdx.x == 0) {
    while (flag[1] == 0) {  // @circle_0
    }
    flag[0] = 1;
  } else {
    while (flag[0] == 0) {  // @circle_1
    }
    flag[1] = 1;
  }
  out[blockIdx.x] = 1;
}

extern "C" __global__ void behind_the_barrier(volatile int *flag, int *out) {
  if (threadIdx.x < 32) {
    __syncthreads();  // @behind_barrier
    *flag = 1;
  } else {
    while (*flag == 0) {  // @behind_spin
    }
    __syncthreads();
  }
  out[threadIdx.x] = 1;
}

extern "C" __global__ void never_started(volatile int *flag, int *out) {
  if (blockIdx.x + 1 < gridDim.x) {
    while (flag[blockIdx.x + 1] == 0) {  // @never_started
    }
  }
  flag[blockIdx.x] = 1;
  out[0] = 1;
}

extern "C" __global__ void looks_at_nothing(int *out, int n) {
  for (int i = 0; i < n;) asm volatile("" : "+r"(i));  // @endless
}

extern "C" __global__ void shared_flag(int *out) {
  __shared__ volatile int ready[4];
  if (threadIdx.x < 4) ready[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x >= 32)
    while (ready[2] == 0) {  // @shared_flag
    }
  out[threadIdx.x] = 1;
}
