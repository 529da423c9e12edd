//! Host programs that do not return, or do what they must not do. Each is reported in words and at
//! its line, and the checker survives it.

use std::fs;

use crate::cli::common::Workbook;

/// The programs, each with a name. They replace the file of `roundtrip` in chapter 2.
const PROGRAMS: &[(&str, &str)] = &[
    (
        "exits",
        r#"#include <cstdlib>
extern "C" void roundtrip(const float* a, float* out, int n) {
    exit(3);
}
"#,
    ),
    (
        "throws",
        r#"#include <stdexcept>
extern "C" void roundtrip(const float* a, float* out, int n) {
    throw std::runtime_error("no device");
}
"#,
    ),
    (
        "device_pointer_on_the_host",
        r#"extern "C" void roundtrip(const float* a, float* out, int n) {
    float* d_a;
    cudaMalloc(&d_a, n * sizeof(float));
    d_a[0] = a[0];
    cudaFree(d_a);
}
"#,
    ),
    (
        "null",
        r#"extern "C" void roundtrip(const float* a, float* out, int n) {
    float* p = nullptr;
    p[n] = 1;
}
"#,
    ),
    (
        "never_ends",
        r#"extern "C" void roundtrip(const float* a, float* out, int n) {
    volatile int i = 0;
    while (i == 0) {
    }
}
"#,
    ),
    (
        "has_the_name_of_a_function_of_ours",
        r#"#include <cstdlib>
extern "C" double workbook_kernel_milliseconds() {
    abort();
}
extern "C" void roundtrip(const float* a, float* out, int n) {
    for (int i = 0; i < n; ++i) out[i] = 0;
}
"#,
    ),
    (
        "forks",
        r#"#include <unistd.h>
extern "C" void roundtrip(const float* a, float* out, int n) {
    fork();
    for (int i = 0; i < n; ++i) out[i] = 0;
}
"#,
    ),
    (
        "floods",
        r#"#include <cstdio>
extern "C" void roundtrip(const float* a, float* out, int n) {
    for (long i = 0; i < 100000000; ++i) puts("all work and no play");
}
"#,
    ),
    (
        "missing_entry",
        r#"__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void round_trip(const float* a, float* out, int n) {}
"#,
    ),
    (
        "other_types",
        r#"extern "C" void roundtrip(const double* a, float* out, int n) {}
"#,
    ),
    (
        "constant_output",
        r#"extern "C" void roundtrip(const float* a, const float* out, int n) {}
"#,
    ),
    (
        "too_few",
        r#"extern "C" void roundtrip(const float* a, float* out) {}
"#,
    ),
    (
        "no_extern_c",
        r#"void roundtrip(const float* a, float* out, int n) {}
"#,
    ),
    (
        "undefined",
        r#"void helper(float* out, int n);
extern "C" void roundtrip(const float* a, float* out, int n) {
    helper(out, n);
}
"#,
    ),
    (
        "reads_stdin",
        r#"#include <cstdio>
extern "C" void roundtrip(const float* a, float* out, int n) {
    int c = getchar();
    out[0] = c;
}
"#,
    ),
    (
        "aborts",
        r#"#include <cassert>
extern "C" void roundtrip(const float* a, float* out, int n) {
    assert(n == -1);
}
"#,
    ),
    (
        "deep_recursion",
        r#"int down(int n, volatile char* p) {
    volatile char frame[4096];
    frame[0] = *p;
    return down(n + 1, frame) + frame[0];
}
extern "C" void roundtrip(const float* a, float* out, int n) {
    char c = 0;
    out[0] = down(0, &c);
}
"#,
    ),
    (
        "divides_by_zero",
        r#"extern "C" void roundtrip(const float* a, float* out, int n) {
    int zero = n - n;
    out[0] = n / zero;
}
"#,
    ),
    (
        "shared_between_processes",
        r#"extern "C" void roundtrip(const float* a, float* out, int n) {
    cudaIpcMemHandle_t handle;
    cudaIpcGetMemHandle(&handle, out);
}
"#,
    ),
    (
        "closes_everything",
        r#"#include <unistd.h>
extern "C" void roundtrip(const float* a, float* out, int n) {
    for (int i = 0; i < 1024; ++i) close(i);
}
"#,
    ),
    (
        "does_not_compile",
        r#"extern "C" void roundtrip(const float* a, float* out, int n) {
    float* d_a
    cudaMalloc(&d_a, n);
}
"#,
    ),
    (
        "assembler",
        r#"extern "C" void roundtrip(const float* a, float* out, int n) {
    asm("bogus %eax");
}
"#,
    ),
    (
        "no_header",
        r#"#include <cuda_runtim.h>
extern "C" void roundtrip(const float* a, float* out, int n) {
}
"#,
    ),
    (
        "beyond_the_host_array",
        r#"extern "C" void roundtrip(const float* a, float* out, int n) {
    for (int i = 0; i <= n; ++i) out[i] = sinf(a[i]);
}
"#,
    ),
    (
        "kernel_out_of_bounds",
        r#"__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    float *d_a, *d_out;
    cudaMalloc(&d_a, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_a, a, n * sizeof(float), cudaMemcpyHostToDevice);
    sine<<<(n + 255) / 256, 256>>>(d_a, d_out, n);
    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_out);
}
"#,
    ),
];

/// The report of each program, without times and addresses.
#[test]
fn host_programs_that_go_wrong() {
    let workbook = Workbook::new();
    let file = workbook.root().join("exercises/ch02_memory/roundtrip.cu");
    let mut screens = String::new();
    for (name, source) in PROGRAMS {
        fs::write(&file, source).expect("writable");
        let ran = workbook.run(&["check", "roundtrip", "--backend", "sim"]);
        let expected = if *name == "shared_between_processes" { 3 } else { 1 };
        assert_eq!((ran.code, ran.err.as_str()), (expected, ""), "{name}: {ran:?}");
        screens += &format!("==== {name}\n");
        for line in ran.out.lines() {
            match line.split_once(" · ") {
                Some((device, time)) if time.ends_with(" ms") => {
                    screens += &format!("{device} · N ms\n");
                }
                _ => screens += &format!("{line}\n"),
            }
        }
    }
    insta::assert_snapshot!(screens);

    // None of these programs affects the next check.
    workbook.solve_in("ch02_memory", "roundtrip");
    let ran = workbook.run(&["check", "roundtrip", "--backend", "sim"]);
    assert_eq!(ran.code, 0, "{ran:?}");
}

/// Headers that few programs need are left out at first. A program that needs one of them compiles
/// all the same: an extended lambda, and a special function of C++17.
#[test]
fn headers_that_few_programs_need_are_there_for_those() {
    let workbook = Workbook::new();
    workbook.solve_in("ch02_memory", "roundtrip");
    let file = workbook.root().join("exercises/ch02_memory/roundtrip.cu");
    let solution = fs::read_to_string(&file).expect("readable");
    let launch = "sine<<<grid, block>>>(d_a, d_out, n);";
    assert!(solution.contains(launch));
    let lambda = "auto f = [] __device__(float x) { return sinf(x); };\n    \
        map<<<grid, block>>>(f, d_a, d_out, n);";
    let kernel = "template <typename F>\n\
        __global__ void map(F f, const float* a, float* out, int n) {\n    \
        const int i = blockIdx.x * blockDim.x + threadIdx.x;\n    \
        if (i < n) out[i] = f(a[i]);\n}\n";
    let special = format!("if (std::riemann_zeta(2.0) > 1.6) {launch}");
    let with_lambda = format!("{kernel}{}", solution.replace(launch, lambda));
    for (name, source) in [
        ("a lambda", with_lambda),
        ("a special function", format!("#include <cmath>\n{}", solution.replace(launch, &special))),
    ] {
        fs::write(&file, source).expect("writable");
        let ran = workbook.run(&["check", "roundtrip", "--backend", "sim"]);
        assert_eq!(ran.code, 0, "{name}: {ran:?}");
    }
}
