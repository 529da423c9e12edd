//! Words that say the same in every program: keywords, CUDA's names, functions of the libraries.
//! All others are the author's own choice, and which one was chosen does not count.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The role of a word in the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// Left out: it can be added or removed without another meaning for most programs.
    Nothing,
    /// A built-in arithmetic type. Which one is easily changed, so all of them are one token.
    Type,
    /// Stands for itself.
    Fixed,
    /// Stands for itself and is a type: `float4`, `dim3`.
    FixedType,
    /// Stands for itself behind `.` or `->` only: `v.x`, `xs.size()`.
    Member,
    /// A name that the author chose.
    Name,
}

/// Which list a word is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum List {
    Nothing,
    Type,
    /// Keywords and built-in variables.
    Always,
    Function,
    Template,
}

static LISTS: LazyLock<HashMap<&str, List>> = LazyLock::new(|| {
    let lists = [
        (NOTHING, List::Nothing),
        (TYPES, List::Type),
        (KEYWORDS, List::Always),
        (BUILT_IN, List::Always),
        (FUNCTIONS, List::Function),
        (TEMPLATES, List::Template),
    ];
    let words = lists
        .iter()
        .flat_map(|(words, list)| words.split_whitespace().zip(std::iter::repeat(*list)));
    words.collect()
});

/// Qualifiers and specifiers.
const NOTHING: &str = "\
    const constexpr consteval constinit explicit extern final inline mutable noexcept override \
    register restrict static typename virtual __forceinline__ __inline__ __noinline__ __restrict \
    __restrict__";

const TYPES: &str = "\
    auto bool char char16_t char32_t char8_t double float int long ptrdiff_t short signed size_t \
    ssize_t uchar uint ulong unsigned ushort void wchar_t int8_t int16_t int32_t int64_t uint8_t \
    uint16_t uint32_t uint64_t intptr_t uintptr_t cudaError_t cudaError";

const KEYWORDS: &str = "\
    alignas alignof asm break case catch class concept const_cast continue decltype default \
    define delete do dynamic_cast else enum false for friend goto if namespace new nullptr \
    operator private protected public reinterpret_cast requires return sizeof static_assert \
    static_cast struct switch template this thread_local throw true try typedef typeid union \
    using volatile while";

const BUILT_IN: &str = "\
    threadIdx blockIdx blockDim gridDim warpSize stderr stdout NULL EXIT_FAILURE EXIT_SUCCESS \
    cooperative_groups numeric_limits initializer_list";

/// CUDA functions without a typical prefix, and common functions of the C and C++ libraries; names
/// like any other where they are not called, as `round` in `for (int round = 0; ...)`.
const FUNCTIONS: &str = "\
    main printf fprintf puts assert malloc calloc realloc free memcpy memset memmove exit abort \
    abs acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh cospi erf erfc exp \
    exp10 exp2 expm1 fabs fdim fdivide floor fma fmax fmin fmod frexp hypot ilogb isfinite isinf \
    isnan ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround max min modf \
    nearbyint nextafter norm norm3d normcdf pow rcbrt remainder rhypot rint rnorm round rsqrt \
    scalbn signbit sin sincos sincospi sinh sinpi sqrt tan tanh tgamma trunc umin umax clamp \
    saturate this_thread_block this_grid tiled_partition coalesced_threads tex1D tex1Dfetch \
    tex2D tex3D surf2Dread surf2Dwrite clock clock64 swap move forward accumulate transform sort \
    fill copy";

/// Templates of C++, names like any other without their arguments.
const TEMPLATES: &str = "\
    vector array unique_ptr shared_ptr pair tuple optional function";

/// Members that stand for themselves.
const MEMBERS: &str = "\
    x y z w data size begin end push_back emplace_back resize reserve empty get front back sync \
    thread_rank shfl_down shfl arrive wait first second";

const SCALARS: &[&str] = &[
    "char",
    "uchar",
    "short",
    "ushort",
    "int",
    "uint",
    "long",
    "ulong",
    "longlong",
    "ulonglong",
    "float",
    "double",
];

/// The tokens around a word.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Around {
    /// `.` or `->` stands before it.
    pub member: bool,
    /// `(` stands behind it.
    pub call: bool,
    /// `<` stands behind it.
    pub template: bool,
}

/// Classifies a word.
pub(super) fn classify(word: &str, around: Around) -> Word {
    if around.member {
        let fixed = MEMBERS.split_whitespace().any(|member| member == word);
        return if fixed { Word::Member } else { Word::Name };
    }
    let list = LISTS.get(word).copied();
    match list {
        Some(List::Nothing) => return Word::Nothing,
        Some(List::Type) => return Word::Type,
        Some(List::Template) if around.template => return Word::FixedType,
        _ => {}
    }
    if word == "dim3" || is_vector(word) || is_library_type(word) {
        return Word::FixedType;
    }
    let upper = |prefix: &str| {
        word.strip_prefix(prefix)
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase() || c == '_'))
    };
    let called = || list == Some(List::Function) || single(word).is_some();
    let known = word.starts_with("__")
        || upper("cuda")
        || upper("atomic")
        || upper("curand")
        || upper("cublas")
        || list == Some(List::Always)
        || around.call && called()
        || word.strip_prefix("make_").is_some_and(is_vector);
    if known { Word::Fixed } else { Word::Name }
}

/// A word as it is compared: single precision is no other function than double, and `fmaxf` no
/// other than `max`.
pub(super) fn canonical(word: &str) -> &str {
    if matches!(word, "NULL") {
        return "nullptr";
    }
    match single(word).unwrap_or(word) {
        "fmax" | "umax" => "max",
        "fmin" | "umin" => "min",
        "fabs" => "abs",
        "class" => "struct",
        word => word,
    }
}

/// The function of which this is the single-precision form: `sqrt` of `sqrtf`.
fn single(word: &str) -> Option<&str> {
    word.strip_suffix('f').filter(|double| LISTS.get(double) == Some(&List::Function))
}

/// `float4`, `uchar2`, ...
fn is_vector(word: &str) -> bool {
    word.strip_suffix(['1', '2', '3', '4']).is_some_and(|scalar| SCALARS.contains(&scalar))
}

/// `cudaStream_t`, `cudaDeviceProp`: types of the runtime.
fn is_library_type(word: &str) -> bool {
    word.starts_with("cuda") && (word.ends_with("_t") || word == "cudaDeviceProp")
        || matches!(word, "__half" | "__half2" | "__nv_bfloat16")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A learner's name is a name, a CUDA name is not, and words of the course's own files are
    /// classified on purpose.
    #[test]
    fn words() {
        let alone = Around::default();
        let call = Around { call: true, ..alone };
        let member = Around { member: true, ..alone };
        for word in
            ["tile", "idx", "half", "round", "cudaish", "atomics", "_x", "offf", "x", "data"]
        {
            assert_eq!(classify(word, alone), Word::Name, "{word}");
        }
        for word in ["threadIdx", "__syncthreads", "atomicAdd", "cudaMalloc", "make_uint4", "if"] {
            assert_eq!(classify(word, alone), Word::Fixed, "{word}");
        }
        for word in ["sqrtf", "round", "sinf", "max", "erf"] {
            assert_eq!(classify(word, call), Word::Fixed, "{word}");
        }
        for word in ["float4", "dim3", "cudaStream_t", "__half"] {
            assert_eq!(classify(word, alone), Word::FixedType, "{word}");
        }
        assert_eq!(classify("const", alone), Word::Nothing);
        assert_eq!(classify("size_t", alone), Word::Type);
        assert_eq!(classify("x", member), Word::Member);
        assert_eq!(classify("potential", member), Word::Name);
        assert_eq!(
            (canonical("fmaxf"), canonical("fmax"), canonical("max")),
            ("max", "max", "max")
        );
        assert_eq!(
            (canonical("sqrtf"), canonical("if"), canonical("NULL")),
            ("sqrt", "if", "nullptr")
        );
    }
}
