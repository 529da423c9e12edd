//! Headers of the host's library that kernels include, as NVRTC gets them.
//!
//! `nvcc` compiles kernels with the host's headers, and NVRTC has none of them. So each of these holds
//! what device code may use without an option of nvcc's: types, macros, and functions that CUDA has
//! itself (CUDA C++ Programming Guide, "C++ Language Support" and "Mathematical Functions"). A
//! `constexpr` function of the host, such as `std::max`, is not among them, because nvcc rejects it in
//! a kernel.

use std::ffi::CStr;

/// The names and texts of the headers.
pub const HEADERS: [(&CStr, &CStr); 21] = [
    (c"cassert", c""),
    (c"assert.h", c""),
    (c"cstdio", c""),
    (c"stdio.h", c""),
    (c"cstdlib", c""),
    (c"stdlib.h", c""),
    (c"cstring", STRING),
    (c"string.h", STRING),
    (c"cstddef", STDDEF),
    (c"stddef.h", STDDEF),
    (c"cstdint", STDINT),
    (c"stdint.h", STDINT),
    (c"climits", c"#include <cuda/std/climits>\n"),
    (c"limits.h", c"#include <cuda/std/climits>\n"),
    (c"cfloat", FLOAT),
    (c"float.h", FLOAT),
    (c"cmath", MATH),
    (c"math.h", MATH),
    (
        c"type_traits",
        c"#include <cuda/std/type_traits>\nnamespace std { using namespace cuda::std; }\n",
    ),
    (c"utility", UTILITY),
    (c"cub/cub.cuh", CUB),
];

const STRING: &CStr = c"#pragma once
namespace std { using ::memcpy; using ::memset; using ::size_t; }
";

const STDDEF: &CStr = c"#pragma once
namespace std { using ::size_t; using ::ptrdiff_t; using nullptr_t = decltype(nullptr); }
";

const STDINT: &CStr = c"#pragma once
#include <cuda/std/cstdint>
namespace std {
using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;
using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t;
using ::intptr_t; using ::uintptr_t; using ::intmax_t; using ::uintmax_t;
}
";

/// The limits of IEEE 754's binary32 and binary64.
const FLOAT: &CStr = c"#pragma once
#define FLT_RADIX 2
#define FLT_MANT_DIG 24
#define FLT_DIG 6
#define FLT_DECIMAL_DIG 9
#define FLT_MIN_EXP (-125)
#define FLT_MAX_EXP 128
#define FLT_MIN_10_EXP (-37)
#define FLT_MAX_10_EXP 38
#define FLT_MAX 3.40282346638528859812e+38F
#define FLT_MIN 1.17549435082228750797e-38F
#define FLT_TRUE_MIN 1.40129846432481707092e-45F
#define FLT_EPSILON 1.19209289550781250000e-7F
#define DBL_MANT_DIG 53
#define DBL_DIG 15
#define DBL_DECIMAL_DIG 17
#define DBL_MIN_EXP (-1021)
#define DBL_MAX_EXP 1024
#define DBL_MIN_10_EXP (-307)
#define DBL_MAX_10_EXP 308
#define DBL_MAX 1.79769313486231570815e+308
#define DBL_MIN 2.22507385850720138309e-308
#define DBL_TRUE_MIN 4.94065645841246544177e-324
#define DBL_EPSILON 2.22044604925031308085e-16
";

/// Infinite and NaN constants are bits, because NVRTC has no built-in functions for them that a
/// `constexpr` may call.
const MATH: &CStr = c"#pragma once
#define INFINITY (__builtin_bit_cast(float, 0x7f800000))
#define NAN (__builtin_bit_cast(float, 0x7fc00000))
#define HUGE_VALF INFINITY
#define HUGE_VAL (__builtin_bit_cast(double, 0x7ff0000000000000))
#ifndef M_PI
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif
namespace std {
using ::abs; using ::fabs; using ::sqrt; using ::cbrt; using ::hypot; using ::pow;
using ::exp; using ::exp2; using ::expm1; using ::log; using ::log2; using ::log10; using ::log1p;
using ::sin; using ::cos; using ::tan; using ::asin; using ::acos; using ::atan; using ::atan2;
using ::sinh; using ::cosh; using ::tanh; using ::asinh; using ::acosh; using ::atanh;
using ::floor; using ::ceil; using ::round; using ::trunc; using ::rint; using ::nearbyint;
using ::lround; using ::lrint; using ::fmod; using ::remainder; using ::fmin; using ::fmax;
using ::fma; using ::fdim; using ::copysign; using ::nextafter; using ::ldexp; using ::frexp;
using ::erf; using ::erfc; using ::tgamma; using ::lgamma;
using ::isnan; using ::isinf; using ::isfinite; using ::signbit;
}
";

const UTILITY: &CStr = c"#pragma once
#include <cuda/std/utility>
namespace std {
using cuda::std::integer_sequence; using cuda::std::index_sequence;
using cuda::std::make_integer_sequence; using cuda::std::make_index_sequence;
using cuda::std::index_sequence_for; using cuda::std::declval;
}
";

/// The parts of CUB that a kernel calls. The rest of it is for the host.
const CUB: &CStr = c"#pragma once
#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_run_length_decode.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_shuffle.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_exchange.cuh>
#include <cub/warp/warp_load.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cub/warp/warp_store.cuh>
";
