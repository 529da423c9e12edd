// Branches whose bodies are too long to be predicated, and other reasons for lanes to be idle.

__device__ __noinline__ float work(float v, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    v = sqrtf(v * 1.5f + i);
  }
  return v;
}

extern "C" __global__ void odd_even(const float* in, float* out) {
  float v = in[threadIdx.x];
  if (threadIdx.x % 2 == 0) {
    v = work(v, 3);
  } else {
    v = work(v + 1.0f, 4);
  }
  out[threadIdx.x] = v;
}

extern "C" __global__ void by_warp(const float* in, float* out) {
  float v = in[threadIdx.x];
  if (threadIdx.x / 32 % 2 == 0) {
    v = work(v, 3);
  } else {
    v = work(v + 1.0f, 4);
  }
  out[threadIdx.x] = v;
}

extern "C" __global__ void nested(const float* in, float* out) {
  float v = in[threadIdx.x];
  if (threadIdx.x % 32 < 20) {
    v = work(v, 2);
    if (threadIdx.x % 4 == 0) {
      v = work(v + 2.0f, 5);
    }
    v = work(v, 2);
  }
  out[threadIdx.x] = v;
}

extern "C" __global__ void trip_counts(const int* in, int* out) {
  int n = in[threadIdx.x];
  int steps = 0;
  while (n > 1) {
    n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    ++steps;
  }
  out[threadIdx.x] = steps;
}

extern "C" __global__ void choice(const int* in, float* out) {
  float v = threadIdx.x;
  switch (in[threadIdx.x]) {
    case 0:
      v = work(v, 1);
      break;
    case 1:
      v = work(v, 2) + 1.0f;
      break;
    case 2:
      v = work(v, 3) * 2.0f;
      break;
    default:
      v = work(v, 4) - 3.0f;
  }
  out[threadIdx.x] = v;
}

extern "C" __global__ void predicated(const int* in, int* out) {
  int v = in[threadIdx.x];
  if (v % 2 == 0) {
    v += 7;
  }
  out[threadIdx.x] = v;
}

extern "C" __global__ void local_array(const int* in, int* out) {
  int own[32];
  for (int i = 0; i < 32; ++i) {
    own[i] = i * i;
  }
  int at = in[threadIdx.x];
  own[at] = 7;
  out[threadIdx.x] = own[at ^ 1] + own[31 - at];
}

extern "C" __global__ void local_doubles(const int* in, double* out) {
  double own[16];
  for (int i = 0; i < 16; ++i) {
    own[i] = i * 0.5;
  }
  int at = in[threadIdx.x] % 16;
  own[at] = 7.0;
  out[threadIdx.x] = own[at ^ 1] + own[15 - at];
}
