#include <cuda_runtime.h>
typedef cudaTextureObject_t Texture;
typedef cudaSurfaceObject_t Surface;

// one fetch per thread: coordinates x, y, z, layer, and the four registers of the result
#define FETCH(NAME, TYPE, CALL)                                                                                        \
  extern "C" __global__ void NAME(Texture t, const float4 *at, TYPE *out, int n) {                                     \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                     \
    if (i < n) {                                                                                                       \
      float4 c = at[i];                                                                                                \
      out[i] = CALL;                                                                                                   \
    }                                                                                                                  \
  }
FETCH(f1d, float4, tex1D<float4>(t, c.x))
FETCH(f2d, float4, tex2D<float4>(t, c.x, c.y))
FETCH(f3d, float4, tex3D<float4>(t, c.x, c.y, c.z))
FETCH(fa1d, float4, tex1DLayered<float4>(t, c.x, (int)c.w))
FETCH(fa2d, float4, tex2DLayered<float4>(t, c.x, c.y, (int)c.w))
FETCH(i1d, int4, tex1D<int4>(t, c.x))
FETCH(i2d, int4, tex2D<int4>(t, c.x, c.y))
FETCH(i3d, int4, tex3D<int4>(t, c.x, c.y, c.z))
FETCH(ia1d, int4, tex1DLayered<int4>(t, c.x, (int)c.w))
FETCH(ia2d, int4, tex2DLayered<int4>(t, c.x, c.y, (int)c.w))
FETCH(flinear, float4, tex1Dfetch<float4>(t, (int)c.x))
FETCH(ilinear, int4, tex1Dfetch<int4>(t, (int)c.x))
FETCH(fgather0, float4, tex2Dgather<float4>(t, c.x, c.y, 0))
FETCH(fgather2, float4, tex2Dgather<float4>(t, c.x, c.y, 2))
FETCH(flevel, float4, tex2DLod<float4>(t, c.x, c.y, c.z))
FETCH(fgrad, float4, tex2DGrad<float4>(t, c.x, c.y, make_float2(c.z, 0), make_float2(0, c.w)))

extern "C" __global__ void blur(Texture t, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float sum = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) sum += tex2D<float>(t, x + dx + 0.5f, y + dy + 0.5f);
  out[y * w + x] = sum / 9;
}

extern "C" __global__ void wrong_handle(Texture t, float *out) {
  out[threadIdx.x] = tex2D<float>(t, threadIdx.x, 0);  // @wrong_handle
}

extern "C" __global__ void copy_surface(Surface from, Surface to, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) surf2Dwrite(surf2Dread<uchar4>(from, x * 4, y), to, x * 4, y);
}

extern "C" __global__ void no_bytes(Surface s) {
  surf2Dwrite(1.0f, s, threadIdx.x, 0);  // @no_bytes
}

extern "C" __global__ void too_far(Surface s, int row) {
  surf2Dwrite(1.0f, s, threadIdx.x * 4, row);  // @too_far
}

extern "C" __global__ void edges(Surface s, int4 *out, int x, int y) {
  out[0] = surf2Dread<int4>(s, x, y, cudaBoundaryModeZero);
  out[1] = surf2Dread<int4>(s, x, y, cudaBoundaryModeClamp);
  surf2Dwrite(make_int4(1, 2, 3, 4), s, x, y, cudaBoundaryModeZero);
}

extern "C" __global__ void sizes(Surface s1, Surface s3, Surface layers, long long *out) {
  int i = threadIdx.x;
  surf1Dwrite<unsigned char>(i + 1, s1, i);
  surf3Dwrite<short>(i * 3, s3, (i & 3) * 2, i >> 2 & 1, i >> 3 & 1);
  surf2DLayeredwrite<long long>(i * 1234567891011LL, layers, (i & 1) * 8, i >> 1 & 1, i >> 2 & 3);
  __syncthreads();
  int j = 15 - i;
  out[i] = surf1Dread<unsigned char>(s1, j) + 1000LL * surf3Dread<short>(s3, (j & 3) * 2, j >> 2 & 1, j >> 3 & 1) +
           surf2DLayeredread<long long>(layers, (j & 1) * 8, j >> 1 & 1, j >> 2 & 3);
}

extern "C" __global__ void ask(Texture t, Surface s, int *out) {
  asm("txq.width.b32 %0, [%1];" : "=r"(out[0]) : "l"(t));
  asm("txq.height.b32 %0, [%1];" : "=r"(out[1]) : "l"(t));
  asm("txq.normalized_coords.b32 %0, [%1];" : "=r"(out[2]) : "l"(t));
  asm("suq.width.b32 %0, [%1];" : "=r"(out[3]) : "l"(s));
  asm("suq.height.b32 %0, [%1];" : "=r"(out[4]) : "l"(s));
  asm("suq.array_size.b32 %0, [%1];" : "=r"(out[5]) : "l"(s));
}

// each texel gets the value of its right neighbour
extern "C" __global__ void shift(Surface s) {
  int x = threadIdx.x;
  float right = surf1Dread<float>(s, (x + 1) * 4, cudaBoundaryModeClamp);  // @shift_with
  surf1Dwrite(right, s, x * 4);                                            // @shift
}
extern "C" __global__ void shift_right(Surface s) {
  int x = threadIdx.x;
  float right = surf1Dread<float>(s, (x + 1) * 4, cudaBoundaryModeClamp);
  __syncthreads();
  surf1Dwrite(right, s, x * 4);
}

// pixels of a byte each, which all blocks write
extern "C" __global__ void paint(Surface s, int same) {
  surf1Dwrite<unsigned char>(same ? 7 : blockIdx.x, s, threadIdx.x);  // @paint
}

// a texture of memory that other threads write
extern "C" __global__ void fetch_while(Texture t, float *data) {
  data[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x ^ 1);  // @fetch_while
}
