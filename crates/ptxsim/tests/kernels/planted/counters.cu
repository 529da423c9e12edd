// Access patterns with known costs; `@name` marks the line that is counted.
extern "C" __global__ void strided(const float* in, float* out, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = in[i * stride];  // @strided_load
  out[i * stride] = v;       // @strided_store
}
extern "C" __global__ void broadcast(const float* in, float* out) {
  float v = in[blockIdx.x];   // @broadcast_load
  out[threadIdx.x] = v;
}
extern "C" __global__ void quads(const float4* in, float4* out) {
  float4 v = in[threadIdx.x];  // @quads_load
  out[threadIdx.x] = v;        // @quads_store
}
extern "C" __global__ void doubles(const double* in, double* out) {
  double v = in[threadIdx.x];  // @doubles_load
  out[threadIdx.x] = v;        // @doubles_store
}
extern "C" __global__ void bytes(const unsigned char* in, unsigned char* out) {
  unsigned char v = in[threadIdx.x];  // @bytes_load
  out[threadIdx.x] = v;               // @bytes_store
}
extern "C" __global__ void shifted(const float* in, float* out) {
  float v = in[threadIdx.x + 1];  // @shifted_load
  out[threadIdx.x] = v;
}
extern "C" __global__ void transpose_plain(const float* in, float* out) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  float v = tile[threadIdx.x][threadIdx.y];  // @transpose_plain
  out[threadIdx.y * 32 + threadIdx.x] = v;
}
extern "C" __global__ void transpose_padded(const float* in, float* out) {
  __shared__ float tile[32][33];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  float v = tile[threadIdx.x][threadIdx.y];  // @transpose_padded
  out[threadIdx.y * 32 + threadIdx.x] = v;
}
extern "C" __global__ void shared_stride(float* out, int stride) {
  extern __shared__ float buffer[];
  buffer[threadIdx.x * stride] = 1.0f;  // @shared_stride
  __syncthreads();
  out[threadIdx.x] = buffer[0];  // @shared_broadcast
}
extern "C" __global__ void shared_wide(double* out, float4* quads) {
  __shared__ double d[32];
  __shared__ float4 q[32];
  d[threadIdx.x] = threadIdx.x;  // @shared_double
  q[threadIdx.x] = make_float4(threadIdx.x, 1.0f, 2.0f, 3.0f);  // @shared_quad
  __syncthreads();
  double e = d[threadIdx.x ^ 1];  // @shared_double_load
  out[threadIdx.x] = e;
  quads[threadIdx.x] = q[31 - threadIdx.x];
}
extern "C" __global__ void branches(int* out, int limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < limit) {  // @branch
    atomicAdd(&out[0], 1);
  }
}
extern "C" __global__ void shared_atomics(int* out, int bins) {
  __shared__ int count[32];
  if (threadIdx.x < 32) {
    count[threadIdx.x] = 0;
  }
  __syncthreads();
  atomicAdd(&count[threadIdx.x % bins], 1);
  __syncthreads();
  if (threadIdx.x < 32) {
    out[threadIdx.x] = count[threadIdx.x];
  }
}
extern "C" __global__ void local_array(int* out, int k) {
  int a[16];
  for (int i = 0; i < 16; ++i) {
    a[i] = i * k;
  }
  out[threadIdx.x] = a[(threadIdx.x * k) & 15];  // @local_load
}
