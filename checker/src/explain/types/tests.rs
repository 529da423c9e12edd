use proptest::prelude::*;

use super::*;

const SOURCE: &str = r"
#define REAL double
#define SIDE 4
struct Particle { float x, y, z; float vx, vy, vz; };
struct Pair { float a; double b; };
typedef struct { int id; char tag; } Item;
using Real = REAL;
typedef float Row[SIDE];
enum Colour { red, green };
enum class Small : unsigned char { a };
template <typename T, int N = 2> struct Vec { T v[N]; };
struct alignas(16) Wide { float a; float b; float c; };
struct __align__(8) Odd { short s; };
struct Base { int n; int m; };
struct Derived : public Base { float f[3]; };
union Word { float f; unsigned u; unsigned char bytes[4]; };
struct Nested {
    static constexpr int K = 3;
    enum { A, B };
    struct Inner { int a, b; };
    Inner inner[2];
    union { float f; int i; };
    struct { short lo, hi; } half;
    Nested* next;
    const float *p, *q;
    __host__ __device__ Nested() : next{nullptr}, p(nullptr) { inner[0].a = 1; }
    __device__ float get(int i) const { return p[i]; }
    float last = 1.5f, more{2};
};
struct Mixed { char c; unsigned a : 20, b : 10; int : 0; short s; };
struct Bits { unsigned a : 3, b : 5; };
class Shape { public: virtual float area(); float w; };
struct Cond {
#if X
    int a;
#endif
    int b;
};
struct Tight { double d; char c; };
struct After : Tight { char e; };
namespace app { struct Hidden { int a[2][3]; }; }
";

fn layout(text: &str) -> Option<Layout> {
    let source = Source::new(SOURCE);
    let types = Types::new(&source);
    types.layout(&TypeText(tokens(text)))
}

fn size(text: &str) -> Option<(u64, u64)> {
    layout(text).map(|layout| (layout.bytes, layout.align))
}

fn part(text: &str, start: u64, bytes: u64) -> Option<String> {
    layout(text)?.part(start, bytes).map(|(text, _)| text)
}

#[test]
fn sizes_are_those_of_the_compiler() {
    let known = [
        ("unsigned long long", (8, 8)),
        ("const volatile unsigned", (4, 4)),
        ("std::uint16_t", (2, 2)),
        ("float3", (12, 4)),
        ("double4", (32, 16)),
        ("uchar4", (4, 4)),
        ("short3", (6, 2)),
        ("Particle", (24, 4)),
        ("struct Pair", (16, 8)),
        ("Item", (8, 4)),
        ("Real", (8, 8)),
        ("Row", (16, 4)),
        ("Colour", (4, 4)),
        ("Small", (1, 1)),
        ("Vec<short, 3>", (6, 2)),
        ("Vec<Pair>", (32, 8)),
        ("Vec<Vec<char, 3>, SIDE>", (12, 1)),
        ("Wide", (16, 16)),
        ("Odd", (8, 8)),
        ("Derived", (20, 4)),
        ("Word", (4, 4)),
        ("Nested", (56, 8)),
        ("Bits", (4, 4)),
        ("Mixed", (12, 4)),
        ("app::Hidden", (24, 4)),
        ("float *", (8, 8)),
        ("std::array<int, 5>", (20, 4)),
        ("Particle[3]", (72, 4)),
    ];
    for (text, expected) in known {
        assert_eq!(size(text), Some(expected), "{text}");
    }
    for text in ["void", "T", "Shape", "Cond", "After", "thrust::tuple<int>", "Vec<T, 3>"] {
        assert_eq!(size(text), None, "{text}");
    }
}

#[test]
fn members_have_the_names_of_the_source() {
    let known = [
        ("Particle", 20, 4, ".vz"),
        ("float4", 8, 4, ".z"),
        ("float4", 0, 16, ""),
        ("Vec<short, 3>", 4, 2, ".v[2]"),
        ("Derived", 4, 4, ".m"),
        ("Derived", 16, 4, ".f[2]"),
        ("Word", 0, 4, ""),
        ("Word", 3, 1, ".bytes[3]"),
        ("Nested", 12, 4, ".inner[1].b"),
        ("Nested", 16, 4, ".f"),
        ("Nested", 22, 2, ".half.hi"),
        ("Nested", 40, 8, ".q"),
        ("Nested", 52, 4, ".more"),
        ("app::Hidden", 20, 4, ".a[1][2]"),
        ("Nested", 0, 56, ""),
    ];
    for (text, start, bytes, expected) in known {
        assert_eq!(part(text, start, bytes).as_deref(), Some(expected), "{text} {start}");
    }
    assert_eq!(part("Pair", 4, 4), None, "padding");
    assert_eq!(part("Item", 2, 4), None, "between two members");
    let several = layout("Particle").and_then(|all| all.parts(0, 8, 4));
    assert_eq!(several, Some((".x".into(), ".y".into())));
}

#[test]
fn declarations() {
    let source = Source::new(SOURCE);
    let types = Types::new(&source);
    let element = |text: &str| {
        let found =
            types.declared(text, &[("T".into(), "short".into()), ("N".into(), "3".into())])?;
        let size = found.points_to.and_then(|to| types.layout(&to)).map(|layout| layout.bytes);
        Some((found.name, size))
    };
    let known = [
        ("const Vec<T, N>* __restrict__ in", "in", Some(6)),
        ("T *out", "out", Some(2)),
        ("float (*tile)[32]", "tile", Some(128)),
        ("float a[][SIDE]", "a", Some(16)),
        ("float2 a[]", "a", Some(8)),
        ("void* p", "p", None),
        ("float** rows", "rows", Some(8)),
        ("const float* const __restrict__ v", "v", Some(4)),
        ("int n", "n", None),
    ];
    for (text, name, size) in known {
        assert_eq!(element(text), Some((name.to_owned(), size)), "{text}");
    }
    let variable = |text, name| types.variable(text, name, &[]).map(|layout| layout.bytes);
    assert_eq!(variable("unsigned char hits, bins[SIDE]", "bins"), Some(1));
    assert_eq!(variable("Particle tile[32]", "tile"), Some(24));
}

proptest! {
    /// A learner's file can be anything.
    #[test]
    fn never_panics(text in "(?s)(struct|union|[a-c]|[{}();:,<>\\[\\]=*& \n]|template|alignas|3){0,60}") {
        let source = Source::new(&text);
        let types = Types::new(&source);
        for name in ["a", "b<c>", "a[3]", "c*"] {
            types.layout(&TypeText(tokens(name)));
        }
        types.declared(&text, &[]);
        types.variable(&text, "a", &[]);
    }
}
