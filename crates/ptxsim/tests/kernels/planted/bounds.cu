// One fault per kernel; the comment `@name` marks the line that must be reported.
extern "C" __global__ void read_behind(const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i + 1];  // @read_behind
}
extern "C" __global__ void write_behind(float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) {
    out[i] = 1.0f;  // @write_behind
  }
}
extern "C" __global__ void read_before(const double* in, double* out) {
  int i = threadIdx.x;
  out[i] = in[i - 1];  // @read_before
}
extern "C" __global__ void write_far(int* out, int distance) {
  out[(int)threadIdx.x * distance] = 3;  // @write_far
}
extern "C" __global__ void atomic_behind(int* bins, int bin) {
  atomicAdd(&bins[bin], 1);  // @atomic_behind
}
extern "C" __global__ void shared_behind(int* out, int shift) {
  __shared__ int first[32];
  __shared__ int second[32];
  int t = threadIdx.x;
  second[t] = t;
  first[t + shift] = -t;  // @shared_behind
  __syncthreads();
  out[t] = second[t];
  if (shift == 77) {
    out[t] = first[t];
  }
}
extern "C" __global__ void shared_before(int* out) {
  __shared__ int tile[32];
  int t = threadIdx.x;
  tile[t] = t;
  __syncthreads();
  out[t] = tile[t - 1];  // @shared_before
}
extern "C" __global__ void shared_dynamic(float* out) {
  extern __shared__ float buffer[];
  int t = threadIdx.x;
  buffer[t + 1] = t;  // @shared_dynamic
  __syncthreads();
  out[t] = buffer[t + 1];
}
extern "C" __global__ void local_behind(int* out, int n) {
  int a[8];
  for (int i = 0; i < 8; ++i) {
    a[i] = i;
  }
  a[n + threadIdx.x] = 5;  // @local_behind
  out[threadIdx.x] = a[threadIdx.x & 7];
}
extern "C" __global__ void pointer(const int* p, int* out) {
  out[threadIdx.x] = p[threadIdx.x];  // @pointer
}
extern "C" __global__ void misaligned_float4(const float* in, float4* out) {
  out[threadIdx.x] = *(const float4*)(in + 4 * threadIdx.x + 1);  // @misaligned_float4
}
extern "C" __global__ void misaligned_double(float* out) {
  *(double*)(out + 3) = 1.0;  // @misaligned_double
}
__constant__ int table[4] = {1, 2, 3, 4};
extern "C" __global__ void write_constant(int* out, int i) {
  int* p = const_cast<int*>(&table[i]);
  *p = 9;  // @write_constant
  out[0] = table[i];
}
extern "C" __global__ void uninitialised_global(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x] + 1;  // @uninitialised_global
}
extern "C" __global__ void uninitialised_shared(int* out) {
  __shared__ int tile[64];
  if (threadIdx.x != 5) {
    tile[threadIdx.x] = 1;
  }
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];  // @uninitialised_shared
}
extern "C" __global__ void uninitialised_local(int* out, int n) {
  int a[8];
  for (int i = 0; i < n; ++i) {
    a[(i * 3) & 7] = i;
  }
  out[threadIdx.x] = a[(threadIdx.x * 3) & 7];  // @uninitialised_local
}
