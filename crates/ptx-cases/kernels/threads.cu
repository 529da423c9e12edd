// Threads, blocks and grids: how indices become addresses.

extern "C" __global__ void one_block(const float* in, float* out, int width) {
  int i = threadIdx.y * width + threadIdx.x;
  float v = in[i];
  out[i] = 2.0f * v;
}

extern "C" __global__ void vector_add(const float* a, const float* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float x = a[i];
    float y = b[i];
    out[i] = x + y;
  }
}

extern "C" __global__ void early_exit(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    return;
  }
  float v = in[i];
  if (v < 0.0f) {
    return;
  }
  out[i] = sqrtf(v);
}

extern "C" __global__ void grid_stride(const float* in, float* out, int n) {
  int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
    float v = in[i];
    out[i] = v * v;
  }
}

extern "C" __global__ void chunk_per_thread(const float* in, float* out, int chunk) {
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;
  for (int i = first; i < first + chunk; ++i) {
    float v = in[i];
    out[i] = v * v;
  }
}

extern "C" __global__ void matrix_add(const float* a, const float* b, float* out, int rows, int cols) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col < cols) {
    float x = a[row * cols + col];
    float y = b[row * cols + col];
    out[row * cols + col] = x + y;
  }
}

extern "C" __global__ void matrix_add_swapped(const float* a, const float* b, float* out, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col < cols) {
    float x = a[row * cols + col];
    float y = b[row * cols + col];
    out[row * cols + col] = x + y;
  }
}

extern "C" __global__ void laplacian(const float* in, float* out, int width, int height, int depth) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= width - 1 || y >= height - 1 || z >= depth - 1) {
    return;
  }
  int i = (z * height + y) * width + x;
  float sum = in[i - 1] + in[i + 1];
  sum += in[i - width] + in[i + width];
  sum += in[i - width * height] + in[i + width * height];
  out[i] = sum - 6.0f * in[i];
}
