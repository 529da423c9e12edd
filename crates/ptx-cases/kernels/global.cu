// Global memory: one load and one store per thread, with all kinds of addresses and widths.

extern "C" __global__ void offset(const float* in, float* out, int by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = in[i + by];
  out[i] = v;
}

extern "C" __global__ void offset_store(const float* in, float* out, int by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = in[i];
  out[i + by] = v;
}

extern "C" __global__ void strided(const float* in, float* out, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = in[i * stride];
  out[i * stride] = v;
}

extern "C" __global__ void backwards(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = in[n - 1 - i];
  out[i] = v;
}

extern "C" __global__ void gather(const int* index, const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int from = index[i];
  float v = in[from];
  out[i] = v;
}

extern "C" __global__ void scatter(const int* index, const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int to = index[i];
  float v = in[i];
  out[to] = v;
}

extern "C" __global__ void broadcast(const float* in, float* out) {
  float v = in[blockIdx.x];
  out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

extern "C" __global__ void some_lanes(const float* in, float* out, int lanes) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (lanes >> (threadIdx.x & 31) & 1) {
    float v = in[i];
    out[i] = v;
  }
}

extern "C" __global__ void chars(const char* in, char* out, int by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  char v = in[i + by];
  out[i] = v;
}

extern "C" __global__ void shorts(const short* in, short* out, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  short v = in[i * stride];
  out[i * stride] = v;
}

extern "C" __global__ void doubles(const double* in, double* out, int by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double v = in[i + by];
  out[i] = v;
}

extern "C" __global__ void pairs(const float2* in, float2* out, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float2 v = in[i * stride];
  out[i * stride] = v;
}

extern "C" __global__ void quads(const float4* in, float4* out, int by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v = in[i + by];
  out[i] = v;
}

extern "C" __global__ void quads_gather(const int* index, const float4* in, float4* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int from = index[i];
  float4 v = in[from];
  out[i] = v;
}

extern "C" __global__ void quads_and_tail(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 4) {
    float4 v = reinterpret_cast<const float4*>(in)[i];
    reinterpret_cast<float4*>(out)[i] = v;
  } else if (i < n / 4 + n % 4) {
    float v = in[n / 4 * 3 + i];
    out[n / 4 * 3 + i] = v;
  }
}

struct Point {
  float x;
  float y;
  float z;
};

extern "C" __global__ void array_of_structs(const Point* in, Point* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i].x;
  float y = in[i].y;
  float z = in[i].z;
  out[i].x = y;
  out[i].y = z;
  out[i].z = x;
}

extern "C" __global__ void struct_of_arrays(const float* x, const float* y, const float* z, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = x[i];
  float b = y[i];
  float c = z[i];
  out[i] = b;
  out[i + n] = c;
  out[i + 2 * n] = a;
}

struct Padded {
  char flag;
  int count;
  double value;
};

extern "C" __global__ void padded_structs(const Padded* in, Padded* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  char flag = in[i].flag;
  int count = in[i].count;
  double value = in[i].value;
  out[i].flag = flag + 1;
  out[i].count = count + 1;
  out[i].value = value + 1.0;
}

extern "C" __global__ void row_sums(const float* in, float* out, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int col = 0; col < cols; ++col) {
    sum += in[row * cols + col];
  }
  out[row] = sum;
}

extern "C" __global__ void column_sums(const float* in, float* out, int rows, int cols) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int row = 0; row < rows; ++row) {
    sum += in[row * cols + col];
  }
  out[col] = sum;
}

extern "C" __global__ void read_only(const float* __restrict__ in, float* out, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = __ldg(&in[i * stride]);
  out[i] = v;
}

extern "C" __global__ void read_only_quads(const float4* __restrict__ in, float4* out, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v = __ldg(&in[i * stride]);
  out[i] = v;
}

extern "C" __global__ void hints(const float* in, float* out, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = __ldcs(&in[i * stride]);
  float b = __ldcg(&in[i * stride + 1]);
  __stcs(&out[i], a);
  __stwt(&out[i + 1024], b);
}

extern "C" __global__ void stencil(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int k = -3; k <= 3; ++k) {
    int j = min(max(i + k, 0), n - 1);
    sum += in[j];
  }
  out[i] = sum;
}
