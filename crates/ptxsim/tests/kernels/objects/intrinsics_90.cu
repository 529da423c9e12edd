// Intrinsics that compilers translate to special instructions: packed bytes and halves, half precision,
// bfloat16, atomics of 16 bits.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void simd(unsigned* out, const unsigned* a, const unsigned* b) {
    const unsigned i = threadIdx.x, x = a[i], y = b[i];
    unsigned* d = out + i * 16;
    d[0] = __vadd4(x, y);
    d[1] = __vsub2(x, y);
    d[2] = __vabsdiffu4(x, y);
    d[3] = __vsadu4(x, y);
    d[4] = __vsadu2(x, y);
    d[5] = __vmaxs4(x, y);
    d[6] = __vminu2(x, y);
    d[7] = __vcmpgtu4(x, y);
    d[8] = __vavgu4(x, y);
    d[9] = __vaddss4(x, y);
    d[10] = __vabsdiffs2(x, y);
    d[11] = __vseteq4(x, y);
    d[12] = __viaddmax_s32(x, y, 3);
    d[13] = __vimax3_s32(x, y, 5);
    d[14] = __vimax_s16x2_relu(x, y);
    d[15] = __byte_perm(x, y, 0x7531) ^ __funnelshift_l(x, y, 9) ^ __brev(x) ^ __usad(x, y, 4u);
}

extern "C" __global__ void halves(__half2* out, const __half2* a, const __half2* b) {
    const unsigned i = threadIdx.x;
    const __half2 x = a[i], y = b[i];
    __half2* d = out + i * 8;
    d[0] = __hmin2_nan(x, y);
    d[1] = __hfma2_relu(x, y, x);
    d[2] = __hadd2_sat(x, y);
    d[3] = __hne2(x, y);
    d[4] = __hgeu2(x, y);
    d[5] = h2trunc(x);
    d[6] = __halves2half2(__float2half_rd(__low2float(x) / 3.0f), __int2half_ru(__half2int_rn(__high2half(y))));
    d[7] = __habs2(__hneg2(y));
}

extern "C" __global__ void sums(__half* h, __half2* h2, __nv_bfloat16* b, __nv_bfloat162* b2, unsigned short* swapped) {
    atomicAdd(h + 1, __float2half(0.5f));
    atomicAdd(h2, __floats2half2_rn(1.0f, -0.25f));
    atomicAdd(b + 1, __float2bfloat16(0.5f));
    atomicAdd(b2, __floats2bfloat162_rn(1.0f, -0.25f));
    unsigned short seen = 0;
    while (true) {
        const unsigned short old = atomicCAS(swapped + 1, seen, static_cast<unsigned short>(seen + 3));
        if (old == seen) {
            break;
        }
        seen = old;
    }
}
