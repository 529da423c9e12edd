//! `checker profile` and `checker trace` with the built binary and the real compiler.

use std::fs;

use crate::cli::common::{Workbook, checker, run};

/// What a command printed, without times.
fn timeless(text: &str) -> String {
    let line = |line: &str| match line.split_once(" · ") {
        Some((device, time)) if time.ends_with(" ms") => format!("{device} · N ms\n"),
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// The skeleton and the solution of every exercise of chapter 1. The counts are those that the
/// gates use.
#[test]
fn profiles_of_chapter_1() {
    let workbook = Workbook::new();
    let mut screens = String::new();
    for name in ["add_one", "double_it", "guard", "blocks", "grid_stride", "matrix_add_2d"] {
        for solved in [false, true] {
            if solved {
                workbook.solve(name);
            }
            let ran = workbook.run(&["profile", name]);
            assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{ran:?}");
            screens += &timeless(&ran.out);
            screens += "\n----\n\n";
        }
    }
    insta::assert_snapshot!(screens);
}

/// The profile as JSON, the profile of another case, and `check --profile` after a verdict.
#[test]
fn profiles_for_programs_and_after_a_check() {
    let workbook = Workbook::new();
    let ran = workbook.run(&["profile", "grid_stride", "--json"]);
    assert_eq!((ran.code, ran.err.as_str(), ran.out.lines().count()), (0, "", 1), "{ran:?}");
    let document: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(document["version"], 1);
    let lines = document["profile"]["lines"].as_array().expect("lines");
    let worst = lines.iter().find(|line| line["sectors_per_request"] == 32.0).expect("strided");
    assert!(worst["text"].as_str().expect("text").contains("sqrtf"));
    assert_eq!(worst["counters"]["load_requests"], 1024);
    assert_eq!(document["profile"]["gates"][0]["holds"], false);

    let occupancy = &document["profile"]["occupancy"];
    assert_eq!(occupancy["gpu"], "H100");
    let kernel = &occupancy["kernels"][0];
    assert!(kernel["registers_per_thread"].as_u64().is_some_and(|n| (2..=64).contains(&n)));
    assert_eq!((&kernel["active_warps"], &kernel["occupancy"]), (&64.into(), &1.0.into()));

    let ran = workbook.run(&["profile", "grid_stride", "--gpu", "sm_75"]);
    assert!(ran.out.contains("on a T4") && ran.out.contains("the 40 multiprocessors"), "{ran:?}");
    let ran = workbook.run(&["profile", "grid_stride", "--gpu", "sm_1"]);
    assert!(ran.code == 2 && ran.err.contains("A100 (sm_80)"), "{ran:?}");
    let ran = workbook.run(&["profile", "grid_stride", "--case", "one warp, 33 elements"]);
    assert!(ran.out.contains("case `one warp, 33 elements`"), "{ran:?}");
    let ran = workbook.run(&["check", "grid_stride", "--backend", "sim", "--profile"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.out.find("error[gate-missed]") < ran.out.find("profile of grid_stride"), "{ran:?}");
}

/// A kernel that does not compile or does not end leads to a report, a name that does not exist to
/// a usage error, and `--json` to JSON in either case.
#[test]
fn what_cannot_be_profiled() {
    let workbook = Workbook::new();
    let file = workbook.exercise("guard");
    fs::write(&file, "extern \"C\" __global__ void guard(\n").expect("writable");
    let ran = workbook.run(&["profile", "guard"]);
    assert!(ran.code == 1 && ran.out.contains("error[compile-error]"), "{ran:?}");
    let ran = workbook.run(&["profile", "guard", "--json"]);
    assert_eq!((ran.code, ran.out.as_str()), (1, "{\"version\":1,\"profile\":null}\n"));
    assert!(ran.err.contains("compile-error"), "{ran:?}");

    let endless = "extern \"C\" __global__ void guard(const float* a, float* out, int n) {\n    \
                   volatile const float* flag = a;\n    while (flag[n - 1] != -1.0f) {\n    }\n}\n";
    fs::write(&file, endless).expect("writable");
    let ran = workbook.run(&["profile", "guard"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.out.contains("did not finish") && ran.out.contains("not right yet"), "{ran:?}");

    for (args, says) in [
        (&["profile", "gard"][..], "did you mean `guard`"),
        (&["profile", "guard", "--case", "zzz"], "`1000 elements`"),
        (&["check", "1", "--profile"], "one exercise"),
        (&["check", "guard", "--profile", "--format", "json"], "profile NAME --json"),
        (&["check", "--all", "--profile"], "--all"),
        (&["profile"], "NAME"),
    ] {
        let ran = workbook.run(args);
        assert!(ran.code == 2 && ran.err.contains(says), "{args:?}: {ran:?}");
    }
}

/// One thread of the skeleton and the solution of every exercise of chapter 1.
#[test]
fn traces_of_chapter_1() {
    let workbook = Workbook::new();
    let mut screens = String::new();
    for (name, args) in [
        ("double_it", &["--thread", "3,1"][..]),
        ("guard", &["--thread", "1000"]),
        ("blocks", &["--block", "1", "--thread", "31"]),
        ("grid_stride", &["--block", "1", "--thread", "3"]),
        ("matrix_add_2d", &["--block", "1,1", "--thread", "5,2"]),
    ] {
        for solved in [false, true] {
            if solved {
                workbook.solve(name);
            }
            let ran = workbook.run(&[&["trace", name], args].concat());
            let fault = name == "guard" && !solved;
            assert_eq!((ran.code, ran.err.as_str()), (i32::from(fault), ""), "{ran:?}");
            screens += &timeless(&ran.out);
            screens += "\n----\n\n";
        }
    }
    insta::assert_snapshot!(screens);
}

/// A reduction in shared memory, with calls, local arrays, an atomic, and a loop in which the
/// active threads change.
const REDUCTION: &str = r#"__device__ float plus(float x, float y) {
    float sum = x + y;
    return sum;
}

extern "C" __global__ void guard(const float* a, float* out, int n) {
    __shared__ float tile[32][33];
    __shared__ int hits;
    const int tid = threadIdx.x;
    const int row = tid / 32, col = tid % 32;
    if (tid == 0) hits = 0;
    tile[row][col] = tid < n ? a[tid] : 0.0f;
    __syncthreads();
    for (int stride = 512; stride > 0; stride /= 2) {
        if (tid < stride) {
            const int other = tid + stride;
            tile[row][col] = plus(tile[row][col], tile[other / 32][other % 32]);
        }
        __syncthreads();
    }
    float best[3];
    for (int k = 0; k < 3; k++) {
        best[k] = k * 2.0f;
    }
    atomicAdd(&hits, 1);
    const float* p = a + tid;
    while (tid < 3 && best[tid % 3] < 5.0f) {
        best[tid % 3] += 2.5f;
    }
    if (tid == 0) {
        out[0] = tile[0][0] + best[1] + *p;
    } else if (tid < n) {
        out[tid] = best[2];
    }
}
"#;

/// A kernel that stores its variables, so that the values in the trace can be compared with the
/// values stored.
const LOGGING: &str = r#"extern "C" __global__ void guard(const float* a, float* out, int n) {
    const int tid = threadIdx.x;
    if (tid >= 20) {
        return;
    }
    int at = tid * 50;
    float x = a[tid] * 3.0f;
    out[at++] = x;
    double fine = x / 7.0;
    out[at++] = fine;
    unsigned int mask = 1u << tid;
    out[at++] = mask;
    long long big = (long long)mask * 3 - 5;
    out[at++] = big;
    int sum = 0;
    for (int i = 0; i < tid % 5 + 2; i++) {
        out[at++] = i;
        if (i == 1) {
            continue;
        }
        sum += i * i - tid;
        out[at++] = sum;
    }
    int left = n;
    while (left > 200) {
        left = left / 2 - 1;
        out[at++] = left;
    }
    do {
        left--;
        out[at++] = left;
    } while (left > 100);
    for (size_t k = 0; k < 3; k++) {
        size_t square = k * k;
        out[at++] = square;
    }
}
"#;

/// A trace shows calls, loops that other threads leave earlier, local and shared arrays, atomics
/// and pointers; it folds loops.
#[test]
fn a_trace_of_a_reduction() {
    let workbook = Workbook::new();
    fs::write(workbook.exercise("guard"), REDUCTION).expect("writable");
    let ran = workbook.run(&["trace", "guard", "--thread", "2"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    insta::assert_snapshot!(timeless(&ran.out));
    let few = workbook.run(&["trace", "guard", "--thread", "2", "--limit", "12"]);
    assert!(few.out.contains("more steps; --limit 60 shows more"), "{few:?}");
    assert!(few.out.contains("exits"), "the end is always shown: {few:?}");
    let some = workbook.run(&["trace", "guard", "--thread", "2", "--lines", "22-23"]);
    assert!(some.out.contains("best[2] = 4") && !some.out.contains("stride"), "{some:?}");
}

/// Loops with their bodies on the line of the header, a condition and its statement on one line,
/// and two scalars in memory.
const ONE_LINE: &str = r#"extern "C" __global__ void guard(const float* a, float* out, int n) {
    const int tid = threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < 3; ++k) sum += a[tid + k];
    int left = tid;
    while (left > 0) left -= 2;
    if (tid < 2) sum += 100.0f;
    for (int i = 0; i < 4; ++i)
        if (i == tid) sum += 1000.0f;
    float sine, cosine;
    sincospif(0.0f, &sine, &cosine);
    if (tid < n) out[tid] = sum + left + cosine;
}
"#;

/// A loop on one line has as many iterations as it makes, and shows the values that its condition
/// read; a thread that takes another branch in an iteration is still in the same loop; a scalar in
/// memory has no index.
#[test]
fn a_trace_of_loops_on_one_line() {
    let workbook = Workbook::new();
    fs::write(workbook.exercise("guard"), ONE_LINE).expect("writable");
    let ran = workbook.run(&["trace", "guard", "--thread", "2"]);
    insta::assert_snapshot!(timeless(&ran.out));
}

/// Of several statements on a line, the trace shows what they change together, and no condition
/// that it cannot derive.
#[test]
fn a_trace_of_several_statements_on_one_line() {
    const SEVERAL: &str = "extern \"C\" __global__ void guard(const float* a, float* out, int n) {
    int i = threadIdx.x; int j = i + 1;
    if (i < n) { out[i] = a[i]; out[i] = 2; }
    int x = j; x += 2; j = x;
    while (j) { --j; if (j == 2) break; }
    if (i == 1) { x = 7; } else { x = 8; } out[i] = x + j;
}
";
    let workbook = Workbook::new();
    fs::write(workbook.exercise("guard"), SEVERAL).expect("writable");
    let ran = workbook.run(&["trace", "guard", "--thread", "2"]);
    insta::assert_snapshot!(timeless(&ran.out));
}

/// What `run` cannot do with its options, it says before it runs anything.
#[test]
fn options_of_run_that_do_not_combine() {
    let folder = tempfile::tempdir().expect("a folder");
    for (args, says) in [
        (&["--thread", "3"][..], "--thread needs --trace"),
        (&["--profile", "--limit", "5"], "--limit needs --trace"),
        (&["--launch", "1"], "--launch needs --profile or --trace"),
        (&["--trace", "--json"], "`run` prints no JSON"),
        (&["--trace", "--profile"], "cannot be used with"),
        (&["--trace", "--backend", "gpu"], "--trace needs the simulator"),
    ] {
        let ran = run(checker(folder.path()).arg("run").args(args).arg("none.cu"));
        assert!(ran.code == 2 && ran.err.contains(says) && ran.out.is_empty(), "{args:?}: {ran:?}");
    }
}

#[test]
fn traced_variables_are_what_the_kernel_stores() {
    let workbook = Workbook::new();
    fs::write(workbook.exercise("guard"), LOGGING).expect("writable");
    let mut compared = 0;
    for thread in ["0", "3", "7", "19"] {
        let ran = workbook.run(&["trace", "guard", "--thread", thread, "--json"]);
        assert_eq!((ran.code, ran.out.lines().count()), (0, 1), "{ran:?}");
        let document: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
        assert_eq!((&document["version"], &document["trace"]["end"]), (&1.into(), &"left".into()));
        for step in document["trace"]["steps"].as_array().expect("steps") {
            let text = step["text"].as_str().expect("text").trim();
            let Some(name) = text.strip_prefix("out[at++] = ") else { continue };
            let name = name.trim_end_matches(';');
            let uses = step["uses"].as_array().expect("uses");
            let shown = uses.iter().find(|named| named["name"] == name).expect(text);
            let number = |value: &serde_json::Value| -> f64 {
                value.as_str().and_then(|text| text.parse().ok()).expect("a number")
            };
            let (shown, stored) = (number(&shown["value"]), number(&step["accesses"][0]["value"]));
            // The store to `out` rounds to a float, and the trace shows six digits.
            assert!((shown - stored).abs() <= stored.abs() * 2e-6, "{text}: {shown}, {stored}");
            compared += 1;
        }
    }
    assert!(compared > 60, "{compared}");
}

/// A thread that does not exist, a kernel that does not compile, a thread that never returns, and a
/// thread that waits for ever each have their own message.
#[test]
fn what_cannot_be_traced_to_its_end() {
    let workbook = Workbook::new();
    for (args, says) in [
        (&["trace", "guard", "--thread", "1024"][..], "threads go from 0 to 1023"),
        (&["trace", "guard", "--thread", "0,1"], "threads go from 0,0 to 1023,0"),
        (&["trace", "blocks", "--block", "5"], "blocks go from 0 to 4"),
        (&["trace", "matrix_add_2d", "--block", "16,0"], "blocks go from 0,0 to 15,15"),
        (&["trace", "guard", "--thread", "x"], "not a whole number"),
        (&["trace", "guard", "--lines", "30-20"], "comes after"),
        (&["trace", "guard", "--limit", "0"], "--limit"),
        (&["trace", "gard"], "did you mean `guard`"),
        (&["trace", "guard", "--case", "zzz"], "`1000 elements`"),
    ] {
        let ran = workbook.run(args);
        assert!(ran.code == 2 && ran.err.contains(says) && ran.out.is_empty(), "{args:?}: {ran:?}");
    }
    let file = workbook.exercise("guard");
    let kernel = |body: &str| {
        let text = format!(
            "extern \"C\" __global__ void guard(const float* a, float* out, int n) {{\n    int i = threadIdx.x;\n{body}}}\n"
        );
        fs::write(&file, text).expect("writable");
    };
    kernel("    i = \n");
    let ran = workbook.run(&["trace", "guard", "--json"]);
    assert_eq!((ran.code, ran.out.as_str()), (1, "{\"version\":1,\"trace\":null}\n"), "{ran:?}");
    kernel("    while (i < n) {\n        out[i] = a[i];\n    }\n");
    let ran = workbook.run(&["trace", "guard", "--thread", "3"]);
    assert!(
        ran.code == 1 && ran.out.contains("was still running when the launch was stopped"),
        "{ran:?}"
    );
    assert!(
        ran.out.contains("more steps, then the last ones") && ran.out.contains("are similar"),
        "{ran:?}"
    );
    kernel(
        "    if (i < 40) {\n        __syncthreads();\n        return;\n    }\n    while (i == 50) {\n        out[50] = 1;\n    }\n",
    );
    let ran = workbook.run(&["trace", "guard", "--thread", "3"]);
    assert!(ran.code == 1 && ran.out.contains("was still waiting"), "{ran:?}");
}

/// The lines and the launches of programs, all of them or chosen ones.
#[test]
fn profiles_of_programs() {
    let workbook = Workbook::new();
    workbook.solve_in("ch02_memory", "stay_on_device");
    workbook.solve_in("ch07_generic", "elementwise");
    workbook.solve_in("ch08_streams", "overlap");
    let mut screens = String::new();
    for args in [
        &["profile", "stay_on_device"][..],
        &["profile", "elementwise"],
        &["profile", "overlap", "--launch", "2"],
    ] {
        let ran = workbook.run(args);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{ran:?}");
        screens += &timeless(&ran.out);
        screens += "\n----\n\n";
    }
    insta::assert_snapshot!(screens);

    let document = |args: &[&str]| -> serde_json::Value {
        let ran = workbook.run(args);
        assert_eq!((ran.code, ran.out.lines().count()), (0, 1), "{ran:?}");
        serde_json::from_str(&ran.out).expect("JSON")
    };
    let all = &document(&["profile", "overlap", "--json"])["profile"];
    let one = &document(&["profile", "overlap", "--json", "--launch", "2"])["profile"];
    let by_name = &document(&["profile", "overlap", "--json", "--launch", "chain"])["profile"];
    let requests = |profile: &serde_json::Value| {
        let of = |value: &serde_json::Value| value["counters"]["load_requests"].as_u64();
        let lines = profile["lines"].as_array().expect("lines");
        let launches = profile["launches"].as_array().expect("launches");
        let sum = |all: &[serde_json::Value]| all.iter().filter_map(of).sum::<u64>();
        (of(&profile["total"]), sum(lines), sum(launches))
    };
    assert_eq!(requests(all), (Some(131_072), 131_072, 131_072));
    assert_eq!(requests(one), (Some(16_384), 16_384, 16_384));
    assert_eq!(requests(by_name), requests(all));
    assert_eq!(all["launches"][0]["numbers"], serde_json::json!([1, 2, 3, 4, 5, 6, 7, 8]));
    assert_eq!(one["launches"][0]["at"][0]["file"], "overlap.cu");
}

/// A thread in a launch of a program, with the names and types of the kernel's parameters.
#[test]
fn traces_of_programs() {
    let workbook = Workbook::new();
    workbook.solve_in("ch02_memory", "stay_on_device");
    workbook.solve_in("ch07_generic", "elementwise");
    workbook.solve_in("ch08_streams", "overlap");
    let mut screens = String::new();
    for args in [
        &["trace", "stay_on_device", "--launch", "2", "--thread", "3"][..],
        &["trace", "elementwise", "--block", "1"],
        &["trace", "overlap", "--launch", "3", "--lines", "13-16"],
    ] {
        let ran = workbook.run(args);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{ran:?}");
        screens += &timeless(&ran.out);
        screens += "\n----\n\n";
    }
    insta::assert_snapshot!(screens);
}

/// A launch or a thread that a program does not have, and a choice where there is none.
#[test]
fn launches_that_do_not_exist() {
    let workbook = Workbook::new();
    workbook.solve_in("ch02_memory", "stay_on_device");
    for (args, says) in [
        (
            &["trace", "stay_on_device", "--launch", "9"][..],
            "there is no launch 9: the program makes",
        ),
        (
            &["profile", "stay_on_device", "--launch", "9"],
            "there is no launch 9: the program makes",
        ),
        (&["trace", "stay_on_device", "--launch", "foo"], "no launch of a kernel `foo`"),
        (&["trace", "stay_on_device", "--thread", "256"], "launch 1: threads go from 0 to 255"),
        (&["trace", "guard", "--launch", "1"], "a kernel that the checker launches once"),
        (&["profile", "guard", "--launch", "1"], "a kernel that the checker launches once"),
    ] {
        let ran = workbook.run(args);
        assert!(ran.code == 2 && ran.err.contains(says) && ran.out.is_empty(), "{args:?}: {ran:?}");
    }
    let ran = workbook.run(&["trace", "roundtrip"]);
    assert!(ran.code == 1 && ran.out.contains("still untouched"), "{ran:?}");
}

/// 36 launches of two kernels, one of which has two shapes.
const MANY_LAUNCHES: &str = r#"#include <cstdio>
__global__ void scale(float* x, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
}
__global__ void shift(float* x, float by, int n) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 2;
    float* mine = x + i;
    if (i < n) *mine += by;
}
int main() {
    const int n = 1000;
    float* d;
    cudaMalloc(&d, n * sizeof(float));
    cudaMemset(d, 0, n * sizeof(float));
    for (int k = 0; k < 30; ++k) {
        scale<<<(n + 255) / 256, 256>>>(d, 2.0f, n);
        if (k % 6 == 0) shift<<<(n + 127) / 128, 128>>>(d, 1.0f, n);
    }
    scale<<<(n + 31) / 32, 32>>>(d, 2.0f, n);
    cudaDeviceSynchronize();
    cudaFree(d);
    printf("done\n");
}
"#;

/// `run --profile` adds up launches of one shape and keeps every count, and `run --trace` follows a
/// thread of the launch that is chosen.
#[test]
fn closeups_of_a_program_of_ones_own() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("many.cu"), MANY_LAUNCHES).expect("writable");
    let run = |args: &[&str]| {
        let ran = run(checker(folder.path()).arg("run").args(args).arg("many.cu"));
        assert_eq!(ran.out, "done\n", "{ran:?}");
        ran
    };
    let mut screens = String::new();
    for args in [
        &["--profile"][..],
        &["--profile", "--launch", "shift"],
        &["--profile", "--gpu", "RTX 4090"],
        &["--trace", "--launch", "shift", "--thread", "3"],
    ] {
        let ran = run(args);
        assert_eq!(ran.code, 0, "{ran:?}");
        screens += &timeless(&ran.err);
        screens += "\n----\n\n";
    }
    insta::assert_snapshot!(screens);
    for (args, says) in [
        (
            &["--trace", "--launch", "40"][..],
            "there is no launch 40: the program makes 36 launches, of `scale` and `shift`",
        ),
        (&["--profile", "--launch", "foo"], "no launch of a kernel `foo`"),
        (&["--trace", "--thread", "256"], "launch 1: threads go from 0 to 255"),
    ] {
        let ran = run(args);
        assert!(ran.code == 2 && ran.err.contains(says), "{args:?}: {ran:?}");
    }
}
