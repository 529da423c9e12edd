// Prints the results of texture fetches on this GPU, as 32-bit words. Each line has the format, size and contents of its
// texture:
//   case KIND FORMAT READ FILTER ADDRESS NORMALISED W H D LAYERS
//   x y z w r g b a           (words of the four coordinates, then of the four registers)
#include "fetches.cu"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_fp16.h>
#include <vector>

#define OK(CALL)                                                                                                       \
  do {                                                                                                                 \
    cudaError_t e = (CALL);                                                                                            \
    if (e != cudaSuccess) {                                                                                            \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #CALL, cudaGetErrorString(e));                            \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

struct Format {
  const char *name;
  cudaChannelFormatKind kind;
  int bits, channels;
};
static const Format FORMATS[] = {
    {"f32x1", cudaChannelFormatKindFloat, 32, 1},   {"f32x4", cudaChannelFormatKindFloat, 32, 4},
    {"f16x2", cudaChannelFormatKindFloat, 16, 2},   {"u8x1", cudaChannelFormatKindUnsigned, 8, 1},
    {"u8x4", cudaChannelFormatKindUnsigned, 8, 4},  {"s8x2", cudaChannelFormatKindSigned, 8, 2},
    {"u16x1", cudaChannelFormatKindUnsigned, 16, 1}, {"s16x4", cudaChannelFormatKindSigned, 16, 4},
    {"u32x1", cudaChannelFormatKindUnsigned, 32, 1}, {"s32x2", cudaChannelFormatKindSigned, 32, 2},
};

// channel `k` of an image; channels are numbered through all texels
static void put(const Format &f, uint32_t k, unsigned char *to) {
  if (f.kind == cudaChannelFormatKindFloat && f.bits == 32) {
    float v = (float)((k * 2654435761u >> 8) & 0xffff) / 256.0f - 100.0f;
    memcpy(to, &v, 4);
  } else if (f.kind == cudaChannelFormatKindFloat) {
    __half v = __float2half((float)((int)(k * 37 % 64) - 32) * 0.125f);
    memcpy(to, &v, 2);
  } else {
    uint32_t v = k * 2654435761u >> 3;
    memcpy(to, &v, f.bits / 8);
  }
}

static uint64_t state = 1;
static double uniform() {  // SplitMix64
  state += 0x9e3779b97f4a7c15ull;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  z ^= z >> 31;
  return (double)(z >> 11) / (double)(1ull << 53);
}

typedef void (*KernelF)(cudaTextureObject_t, const float4 *, float4 *, int);
typedef void (*KernelI)(cudaTextureObject_t, const float4 *, int4 *, int);

static void run(const char *kind, const Format &f, bool normalised_read, bool linear, int address, bool normalised,
                int w, int h, int d, int layers, std::vector<float4> at, KernelF kf, KernelI ki) {
  static const char *ADDRESS[] = {"wrap", "clamp", "mirror", "border"};
  bool fetch = !strcmp(kind, "linear");
  cudaChannelFormatDesc desc = {f.bits, f.channels > 1 ? f.bits : 0, f.channels > 2 ? f.bits : 0,
                                f.channels > 2 ? f.bits : 0, f.kind};
  size_t texels = (size_t)w * (h ? h : 1) * (d ? d : 1) * (layers ? layers : 1), bytes = texels * f.channels * f.bits / 8;
  std::vector<unsigned char> data(bytes);
  for (size_t k = 0; k < texels * f.channels; ++k) put(f, (uint32_t)k, &data[k * f.bits / 8]);
  cudaResourceDesc res = {};
  cudaArray_t array = nullptr;
  void *memory = nullptr;
  if (fetch) {
    OK(cudaMalloc(&memory, bytes));
    OK(cudaMemcpy(memory, data.data(), bytes, cudaMemcpyHostToDevice));
    res.resType = cudaResourceTypeLinear;
    res.res.linear.devPtr = memory;
    res.res.linear.desc = desc;
    res.res.linear.sizeInBytes = bytes;
  } else {
    unsigned flags = (layers ? cudaArrayLayered : 0) | (!strncmp(kind, "gather", 6) ? cudaArrayTextureGather : 0);
    OK(cudaMalloc3DArray(&array, &desc, make_cudaExtent(w, h, layers ? layers : d), flags));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(data.data(), (size_t)w * f.channels * f.bits / 8, w, h ? h : 1);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(w, h ? h : 1, layers ? layers : d ? d : 1);
    copy.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&copy));
    res.resType = cudaResourceTypeArray;
    res.res.array.array = array;
  }
  cudaTextureDesc td = {};
  for (auto &mode : td.addressMode) mode = (cudaTextureAddressMode)address;
  td.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
  td.readMode = normalised_read ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  td.normalizedCoords = normalised;
  td.borderColor[0] = 0.25f, td.borderColor[1] = 0.5f, td.borderColor[2] = 0.75f, td.borderColor[3] = 1.0f;
  cudaTextureObject_t t;
  OK(cudaCreateTextureObject(&t, &res, &td, nullptr));
  float4 *in;
  uint4 *out;
  OK(cudaMalloc(&in, at.size() * 16));
  OK(cudaMalloc(&out, at.size() * 16));
  OK(cudaMemcpy(in, at.data(), at.size() * 16, cudaMemcpyHostToDevice));
  bool floats = f.kind == cudaChannelFormatKindFloat || normalised_read;
  int n = (int)at.size();
  if (floats) kf<<<(n + 127) / 128, 128>>>(t, in, (float4 *)out, n);
  else ki<<<(n + 127) / 128, 128>>>(t, in, (int4 *)out, n);
  OK(cudaGetLastError());
  OK(cudaDeviceSynchronize());
  std::vector<uint4> got(at.size());
  OK(cudaMemcpy(got.data(), out, at.size() * 16, cudaMemcpyDeviceToHost));
  printf("case %s %s %s %s %s %s %d %d %d %d\n", kind, f.name, normalised_read ? "normalised" : "element",
         linear ? "linear" : "point", ADDRESS[address], normalised ? "normalised" : "texels", w, h, d, layers);
  for (size_t i = 0; i < at.size(); ++i) {
    uint32_t c[4];
    memcpy(c, &at[i], 16);
    printf("%08x %08x %08x %08x %08x %08x %08x %08x\n", c[0], c[1], c[2], c[3], got[i].x, got[i].y, got[i].z, got[i].w);
  }
  OK(cudaDestroyTextureObject(t));
  if (array) OK(cudaFreeArray(array));
  if (memory) OK(cudaFree(memory));
  OK(cudaFree(in));
  OK(cudaFree(out));
}

// some inside, some outside on either side, some at the edges and centres of texels
static std::vector<float4> coordinates(int n, int w, int h, int d, int layers, bool normalised) {
  std::vector<float4> at;
  auto one = [&](int i, int size) {
    if (size == 0) size = 1;
    double v = uniform() * (size + 3) - 1.5;
    if (i % 4 == 1) v = floor(v * 2) / 2;
    if (i % 4 == 2) v = floor(v * 512) / 512;
    return (float)(normalised ? v / size : v);
  };
  for (int i = 0; i < n; ++i)
    at.push_back(make_float4(one(i, w), one(i, h), one(i, d), layers ? (float)(int)(uniform() * (layers + 2) - 1) : 0));
  return at;
}

int main() {
  cudaDeviceProp p;
  OK(cudaGetDeviceProperties(&p, 0));
  int driver = 0;
  OK(cudaDriverGetVersion(&driver));
  printf("# %s, compute capability %d.%d, CUDA driver %d\n", p.name, p.major, p.minor, driver);
  const Format &f32 = FORMATS[0];
  // where one weight ends and the next begins: 1D, in steps of 1/4096 of a texel
  for (int normalised = 0; normalised < 2; ++normalised) {
    std::vector<float4> fine;
    for (int i = -300; i < 900; ++i)
      fine.push_back(make_float4((float)((1.5 + i / 4096.0) / (normalised ? 6 : 1)), 0, 0, 0));
    run("1d", f32, false, true, 1, normalised, 6, 0, 0, 0, fine, f1d, i1d);
    run("1d", f32, false, false, 1, normalised, 6, 0, 0, 0, fine, f1d, i1d);
  }
  // large coordinates, infinities, not-a-numbers
  std::vector<float4> odd;
  for (float v : {1e6f, -1e6f, 1e9f, -1e9f, 3e38f, -3e38f, INFINITY, -INFINITY, NAN, 16777215.5f, -0.0f, 1e-40f})
    odd.push_back(make_float4(v, 0, 0, 0));
  for (int address = 0; address < 4; ++address)
    for (int linear = 0; linear < 2; ++linear) run("1d", f32, false, linear, address, true, 5, 0, 0, 0, odd, f1d, i1d);
  for (const Format &f : FORMATS) {
    bool integers = f.kind != cudaChannelFormatKindFloat;
    for (int read = 0; read < 2; ++read) {
      if (read == 1 && (!integers || f.bits == 32)) continue;
      bool floats = !integers || read == 1;
      for (int linear = 0; linear < (floats ? 2 : 1); ++linear)
        for (int address = 0; address < 4; ++address)
          for (int normalised = 0; normalised < 2; ++normalised) {
            if (!normalised && (address == 0 || address == 2)) continue;
            run("1d", f, read, linear, address, normalised, 7, 0, 0, 0, coordinates(12, 7, 0, 0, 0, normalised), f1d, i1d);
            run("2d", f, read, linear, address, normalised, 5, 4, 0, 0, coordinates(16, 5, 4, 0, 0, normalised), f2d, i2d);
            if (f.bits != 8 || f.channels == 4)
              run("3d", f, read, linear, address, normalised, 4, 3, 5, 0, coordinates(12, 4, 3, 5, 0, normalised), f3d, i3d);
          }
      for (int linear = 0; linear < (floats ? 2 : 1); ++linear) {
        run("a1d", f, read, linear, 1, false, 7, 0, 0, 3, coordinates(8, 7, 0, 0, 3, false), fa1d, ia1d);
        run("a2d", f, read, linear, 1, true, 5, 4, 0, 3, coordinates(8, 5, 4, 0, 3, true), fa2d, ia2d);
      }
      std::vector<float4> whole;
      for (int i : {-2147483647, -1, 0, 1, 5, 6, 7, 1000000, 2147483520}) whole.push_back(make_float4((float)i, 0, 0, 0));
      run("linear", f, read, false, 1, false, 7, 0, 0, 0, whole, flinear, ilinear);
    }
  }
  for (int i : {0, 1, 4}) {
    run("gather0", FORMATS[i], i == 4, false, 1, false, 5, 4, 0, 0, coordinates(24, 5, 4, 0, 0, false), fgather0, nullptr);
    run("gather2", FORMATS[i], i == 4, true, 1, true, 5, 4, 0, 0, coordinates(24, 5, 4, 0, 0, true), fgather2, nullptr);
  }
  run("level", f32, false, true, 1, false, 5, 4, 0, 0, coordinates(12, 5, 4, 0, 0, false), flevel, nullptr);
  run("grad", f32, false, true, 1, false, 5, 4, 0, 0, coordinates(12, 5, 4, 0, 0, false), fgrad, nullptr);
}
