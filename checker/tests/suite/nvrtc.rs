//! The real compiler on real and on hostile source, in a child process.
//!
//! Needs a CUDA compiler: `cargo checker setup` installs one.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

use checker::compile::{Message, Module, Options, Outcome, Severity, nvrtc};
use checker::toolchain;

const SOURCE: &str = "NVRTC_TEST_SOURCE";
const OUTCOME: &str = "NVRTC_TEST_OUTCOME";
const ARCH: &str = "NVRTC_TEST_ARCH";
/// The value of a macro `RADIUS`.
const RADIUS: &str = "NVRTC_TEST_RADIUS";
const FILE: &str = "exercises/ch01_threads/kernel.cu";

/// Not a test by itself. [`compile`] starts it with the source and options in its environment.
#[test]
fn child() {
    let (Some(source), Some(outcome)) = (env::var_os(SOURCE), env::var_os(OUTCOME)) else { return };
    let toolchain = toolchain::find(None)
        .ok()
        .flatten()
        .expect("no CUDA compiler: run `cargo checker setup` first, then the tests again")
        .kernels;
    let source = fs::read_to_string(source).expect("the source to compile");
    let mut options = Options::default();
    if let Ok(arch) = env::var(ARCH) {
        options.arch = arch;
    }
    if let Ok(radius) = env::var(RADIUS) {
        options.defines.push(("RADIUS".to_owned(), radius.parse().expect("a number")));
    }
    let result = nvrtc::compile(&toolchain, &source, FILE, &options);
    fs::write(outcome, serde_json::to_vec(&result).expect("serialises"))
        .expect("writes the outcome");
}

/// Compiles in a child process, which runs this test program.
fn compile(source: &str) -> Outcome {
    compile_with(&[], source)
}

/// As [`compile`], with more in the child's environment.
fn compile_with(environment: &[(&str, &OsStr)], source: &str) -> Outcome {
    let folder = tempfile::tempdir().expect("temporary folder");
    let (input, output) = (folder.path().join("source.cu"), folder.path().join("outcome.json"));
    fs::write(&input, source).expect("writes the source");
    let beside = folder.path().join("exercises/ch01_threads");
    fs::create_dir_all(&beside).expect("a workbook's folder");
    for place in [&beside, folder.path()] {
        fs::write(place.join("neighbour.h"), "__device__ int neighbour;\n")
            .expect("writes a neighbour");
    }
    let child = Command::new(env::current_exe().expect("this program"))
        .args(["--exact", "nvrtc::child", "--nocapture"])
        .envs([(SOURCE, &input), (OUTCOME, &output)])
        .envs(environment.iter().copied())
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .expect("starts");
    let said = String::from_utf8_lossy(&child.stderr).into_owned();
    let outcome =
        fs::read(&output).unwrap_or_else(|_| panic!("the child left no outcome:\n{said}"));
    serde_json::from_slice(&outcome).expect("an outcome")
}

fn compiled(source: &str) -> Module {
    match compile(source) {
        Outcome::Compiled(module) => module,
        other => panic!("should compile: {other:?}"),
    }
}

fn rejected(source: &str) -> Vec<Message> {
    match compile(source) {
        Outcome::Rejected(messages) => messages,
        other => panic!("should be rejected: {other:?}"),
    }
}

#[test]
fn a_kernel_becomes_ptx_with_a_line_table() {
    let module = compiled(
        "extern \"C\" __global__ void saxpy(const float* x, float* y, float a, int n) {\n\
         \x20   const int idx = blockIdx.x * blockDim.x + threadIdx.x;\n\
         \x20   int unused;\n\
         \x20   if (idx < n) {\n\
         \x20       y[idx] = a * x[idx] + y[idx];\n\
         \x20   }\n\
         }\n",
    );
    assert!(module.ptx.contains(".visible .entry saxpy("), "{}", module.ptx);
    assert!(module.ptx.contains(".target sm_90"));
    assert!(module.ptx.contains(&format!("\t.file\t1 \"{FILE}\"\n")), "{}", module.ptx);
    assert!(module.ptx.contains(".loc\t1 5 "));
    assert!(!module.ptx.contains("fma.rn"), "a * x + y stays two roundings");
    assert!(!module.ptx.contains('\0'));
    assert!(module.warnings.iter().all(Message::is_about_unused), "{:?}", module.warnings);
}

#[test]
fn an_undefined_name_is_marked() {
    let source = "extern \"C\" __global__ void k(float* out) {\n    int idx = threadId.x;\n    out[idx] = 1;\n}\n";
    let text = "identifier \"threadId\" is undefined".to_owned();
    assert_eq!(
        rejected(source),
        [Message { file: None, severity: Severity::Error, line: 2, column: 15, length: 8, text }]
    );
}

/// The byte offsets of the real compiler's carets, on a line with accents.
#[test]
fn columns_count_characters() {
    let source = "extern \"C\" __global__ void k(const char** out) {\n    out[0] = \"\u{e9}\u{e9}\" + oops;\n}\n";
    let messages = rejected(source);
    let place = messages.first().map(|m| (m.line, m.column, m.length));
    assert_eq!(place, Some((2, 21, 4)), "{messages:?}");
}

#[test]
fn cuda_headers_are_there_and_host_headers_are_not() {
    compiled(
        "#include <cooperative_groups.h>\n#include <cuda_fp16.h>\n\
         extern \"C\" __global__ void k(__half* out) {\n\
         \x20   auto block = cooperative_groups::this_thread_block();\n\
         \x20   out[block.thread_rank()] = __float2half(1.0f);\n}\n",
    );
    let messages = rejected("#include <vector>\nextern \"C\" __global__ void k() {}\n");
    let first = messages.first().expect("a message");
    assert_eq!((first.line, first.column, first.length), (1, 1, 17));
    assert!(first.text.contains("\"vector\""), "{first:?}");
}

/// Files that the compiler reads must not appear in a learner's report or in the records of a
/// class.
#[test]
fn included_files_are_not_shown() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let secret = folder.path().join("secret.txt");
    fs::write(&secret, "hunter2 = correct horse battery;\n").expect("writes");
    for source in [
        format!("#include \"{}\"\nextern \"C\" __global__ void k() {{}}\n", secret.display()),
        format!(
            "extern \"C\" __global__ void k() {{\nint x =\n#include \"{}\"\n}}\n",
            secret.display()
        ),
        format!("#line 1 \"{FILE}x\"\n#include \"{}\"\n", secret.display()),
    ] {
        let messages = rejected(&source);
        let all = format!("{messages:?}");
        assert!(!all.contains("hunter2") && !all.contains("horse"), "{all}");
        assert!(!all.contains(&folder.path().display().to_string()), "{all}");
        assert!(messages.iter().any(|m| m.severity == Severity::Error));
    }
}

/// Files beside the exercise, or in the current folder, are not part of it, because the cache would
/// not notice when they change.
#[test]
fn neighbours_are_not_included() {
    for path in ["neighbour.h", "../../neighbour.h", "exercises/ch01_threads/neighbour.h"] {
        let messages =
            rejected(&format!("#include \"{path}\"\nextern \"C\" __global__ void k() {{}}\n"));
        let first = messages.first().expect("a message");
        assert_eq!(first.text, format!("cannot open source file \"{path}\""));
        assert_eq!((first.line, first.column), (1, 1));
    }
}

#[test]
fn twenty_thousand_errors_end_well() {
    let lines: String = (0..20_000).map(|i| format!("    undefined_{i} = 1;\n")).collect();
    let messages = rejected(&format!("extern \"C\" __global__ void k() {{\n{lines}}}\n"));
    assert!((2..=60).contains(&messages.len()), "{}", messages.len());
    let last = messages.last().map(|m| m.text.as_str()).unwrap_or_default();
    assert!(last.contains("more messages"), "{last}");
}

/// Most sources are compiled first with fewer declarations (`--minimal`). Sources that need the
/// others still compile, and errors are those of all declarations.
#[test]
fn declarations_that_few_kernels_need_are_there() {
    // `--minimal` leaves out this type, and nothing in the source looks like the runtime
    compiled(
        "extern \"C\" __global__ void k(int* out) {\n\
         \x20   out[0] = libraryPropertyType_t::MAJOR_VERSION;\n}\n",
    );
    let source = "extern \"C\" __global__ void k(int* out) {\n    int a = 1\n    out[0] = a;\n}\n";
    let plain = rejected(source);
    // an `#if` compiles with all declarations at once
    let all = rejected(&format!("{source}#if 1\n#endif\n"));
    assert_eq!(plain, all);
    assert!(plain[0].text.contains("expected a \";\""), "{plain:?}");
}

#[test]
fn odd_source_ends_well() {
    compiled("// nothing\n");
    rejected("extern \"C\" __global__ void k() {\n    if (1) {\n");
    rejected("#error stop here\n");
    rejected("\u{1}\u{2}\u{3}\u{1b}[31m\n");
    rejected("extern \"C\" __global__ void k() { /* never closed\n");
    rejected("#include __FILE__\n#include \"kernel.cu\"\n");
    assert!(matches!(compile("int a;\0int b;\n"), Outcome::Stopped(_)));
    let nested = format!("__device__ int x = {}1{};\n", "(".repeat(20_000), ")".repeat(20_000));
    compiled(&nested);
}

/// NVRTC refuses generic lambdas, which nvcc accepts in kernels. Other functions and variables of
/// the host are errors for both, also beside such a lambda.
#[test]
fn generic_lambdas_compile_as_with_nvcc() {
    const LAMBDA: &str = "    auto next = [a](auto i) { return a[i] + 1; };\n";
    let kernel = |before: &str, value: &str| {
        format!(
            "{before}extern \"C\" __global__ void k(const float* a, float* out) {{\n{LAMBDA}    out[threadIdx.x] = {value};\n}}\n"
        )
    };
    let ptx = compiled(&kernel("", "next(threadIdx.x)")).ptx;
    assert!(ptx.contains(".entry k("), "{ptx}");
    let table = "__device__ const float table[3] = {1, 2, 3};\n";
    compiled(&kernel(table, "table[threadIdx.x] + next(0)"));
    compiled(&kernel("constexpr int first = 2;\n", "next(first)"));
    compiled(
        "template <typename F> __device__ float apply(F f, float x) { return f(x); }\n\
         extern \"C\" __global__ void k(float* out) {\n\
         out[0] = apply([] (const auto& x) mutable -> float { return x + 1; }, out[0]);\n}\n",
    );

    for (before, value, line, text) in [
        ("float twice(float x) { return 2 * x; }\n", "twice(next(0))", 1, "host function"),
        ("float scale = 2;\n", "scale * next(0)", 1, "host variable"),
        (
            "const float table[3] = {1, 2, 3};\n",
            "table[threadIdx.x] + next(0)",
            4,
            "identifier \"table\" is undefined in device code",
        ),
        ("", "next(missing)", 3, "identifier \"missing\" is undefined"),
    ] {
        let messages = rejected(&kernel(before, value));
        let errors: Vec<_> = messages.iter().filter(|m| m.severity == Severity::Error).collect();
        let [error] = errors[..] else { panic!("{errors:?}") };
        assert!(error.line == line && error.text.contains(text), "{error:?}");
    }
}

/// A `libnvrtc.so` of another CUDA version, which the loader would find by name, must not replace
/// the selected compiler. Here it is a library without NVRTC's functions.
#[cfg(target_os = "linux")]
#[test]
fn a_library_of_the_same_name_is_not_used() {
    let toolchain = toolchain::find(None)
        .ok()
        .flatten()
        .expect("no CUDA compiler: run `cargo checker setup` first")
        .kernels;
    let folder = tempfile::tempdir().expect("temporary folder");
    let builtins = toolchain.builtins.expect("NVRTC's companion");
    std::os::unix::fs::symlink(builtins, folder.path().join("libnvrtc.so")).expect("links");
    let outcome = compile_with(
        &[("LD_LIBRARY_PATH", folder.path().as_os_str())],
        "extern \"C\" __global__ void k() {}\n",
    );
    assert!(matches!(outcome, Outcome::Compiled(_)), "{outcome:?}");
}

/// A compiler that is missing, or does not have the architecture, is not the learner's fault.
#[test]
fn a_missing_compiler_is_reported() {
    let toolchain = toolchain::Toolchain {
        nvrtc: Path::new("/nowhere/libnvrtc.so.13").into(),
        builtins: None,
        include: None,
        headers: vec![],
        nvcc: None,
        version: "13.0".to_owned(),
        origin: toolchain::Origin::Usual,
    };
    let outcome = nvrtc::compile(&toolchain, "", FILE, &Options::default());
    assert!(
        matches!(&outcome, Outcome::Unavailable(why) if why.contains("/nowhere/libnvrtc.so.13")),
        "{outcome:?}"
    );

    let outcome =
        compile_with(&[(ARCH, OsStr::new("compute_1"))], "extern \"C\" __global__ void k() {}\n");
    assert!(
        matches!(&outcome, Outcome::Unavailable(why) if why.contains("invalid value")),
        "{outcome:?}"
    );
}

/// One source gives a kernel for each value of a macro; without a value, the source's default
/// holds.
#[test]
fn a_defined_macro_changes_the_kernel() {
    const SPECIAL: &str = "#ifndef RADIUS\n#define RADIUS 4\n#endif\n\
        extern \"C\" __global__ void k(int* out) { *out = 1000 + RADIUS; }\n";
    let ptx = |radius: Option<&str>| {
        let environment: Vec<_> = radius.iter().map(|r| (RADIUS, OsStr::new(*r))).collect();
        match compile_with(&environment, SPECIAL) {
            Outcome::Compiled(module) => module.ptx,
            other => panic!("should compile: {other:?}"),
        }
    };
    for (radius, stored) in [(None, "1004"), (Some("1"), "1001"), (Some("-8"), "992")] {
        assert!(ptx(radius).contains(stored), "{radius:?}");
    }
}

/// Headers that nvcc finds for device code, and NVRTC does not have. Each is included twice and
/// together with all others.
#[test]
fn headers_of_the_host_have_what_device_code_may_use() {
    let names = [
        "cassert",
        "cstdio",
        "stdio.h",
        "cstdlib",
        "stdlib.h",
        "cstring",
        "string.h",
        "cstddef",
        "stddef.h",
        "cstdint",
        "stdint.h",
        "climits",
        "limits.h",
        "cfloat",
        "float.h",
        "cmath",
        "math.h",
        "type_traits",
        "utility",
        "cuda/std/cmath",
        "cuda/std/cstdint",
        "cuda/std/cfloat",
    ];
    let includes: String = names.iter().map(|name| format!("#include <{name}>\n")).collect();
    let module = compiled(&format!(
        "{includes}{includes}\
         static_assert(std::is_same<std::uint32_t, uint32_t>::value && sizeof(uint64_t) == 8, \"\");\n\
         template <int... K> __device__ int sum(std::integer_sequence<int, K...>) {{ return (K + ...); }}\n\
         extern \"C\" __global__ void k(float* out, std::size_t n) {{\n\
         float least = -FLT_MAX; int most = INT_MAX; uintptr_t at = (uintptr_t)out;\n\
         out[0] = std::fmax(least, std::sqrt(out[1])) + std::abs(out[2]) + std::floor(out[3]);\n\
         out[4] = M_PI * DBL_EPSILON + most + at % 16 + sum(std::make_integer_sequence<int, 4>());\n\
         std::memcpy(out + 5, out + 6, sizeof(float)); assert(n > 0); printf(\"%d\\n\", CHAR_BIT);\n\
         }}\n"
    ));
    assert!(module.ptx.contains(".entry k"), "{}", module.ptx);
}

/// CUB's documentation includes all of CUB, whose other half needs a host.
#[test]
fn all_of_cub_that_kernels_call_is_in_one_header() {
    let module = compiled(
        "#include <cub/cub.cuh>\n\
         extern \"C\" __global__ void k(int* out) {\n\
         using Reduce = cub::BlockReduce<int, 128>; __shared__ typename Reduce::TempStorage s;\n\
         int all = Reduce(s).Sum(out[threadIdx.x]); if (threadIdx.x == 0) out[0] = all;\n\
         }\n",
    );
    assert!(module.ptx.contains(".entry k"), "{}", module.ptx);
}

/// nvcc refuses functions of the host in a kernel, so they are not to be found here either.
#[test]
fn functions_of_the_host_stay_errors() {
    for (header, call) in [("utility", "std::max(1, 2)"), ("cstdlib", "std::rand()")] {
        rejected(&format!(
            "#include <{header}>\nextern \"C\" __global__ void k(int* out) {{ out[0] = {call}; }}\n"
        ));
    }
}
