// Images: bytes and vectors of bytes, constant memory, halos in two dimensions.

extern "C" __global__ void gray_bytes(const unsigned char* in, unsigned char* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int red = in[3 * i];
    int green = in[3 * i + 1];
    int blue = in[3 * i + 2];
    out[i] = (77 * red + 150 * green + 29 * blue) >> 8;
  }
}

extern "C" __global__ void gray_vectors(const uchar4* in, unsigned char* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    uchar4 pixel = in[i];
    out[i] = (77 * pixel.x + 150 * pixel.y + 29 * pixel.z) >> 8;
  }
}

__constant__ float weights[64] = {1.0f, 2.0f, 3.0f, 4.0f};

extern "C" __global__ void constant_uniform(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) {
    sum += weights[k] * in[i + k];
  }
  out[i] = sum;
}

extern "C" __global__ void constant_divergent(const int* index, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = weights[index[i]];
}

extern "C" __global__ void blur(const float* in, float* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) {
    return;
  }
  float sum = 0.0f;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      int row = min(max(y + dy, 0), height - 1);
      int col = min(max(x + dx, 0), width - 1);
      sum += in[row * width + col];
    }
  }
  out[y * width + x] = sum / 9.0f;
}

extern "C" __global__ void sobel_tile(const float* in, float* out, int width, int height) {
  __shared__ float tile[18][18];
  int x = blockIdx.x * 16 + threadIdx.x;
  int y = blockIdx.y * 16 + threadIdx.y;
  for (int i = threadIdx.y * 16 + threadIdx.x; i < 18 * 18; i += 256) {
    int row = min(max(int(blockIdx.y) * 16 + i / 18 - 1, 0), height - 1);
    int col = min(max(int(blockIdx.x) * 16 + i % 18 - 1, 0), width - 1);
    tile[i / 18][i % 18] = in[row * width + col];
  }
  __syncthreads();
  if (x < width && y < height) {
    float gx = 0.0f;
    for (int k = 0; k < 3; ++k) {
      gx += weights[k] * (tile[threadIdx.y + k][threadIdx.x + 2] - tile[threadIdx.y + k][threadIdx.x]);
    }
    out[y * width + x] = gx;
  }
}
