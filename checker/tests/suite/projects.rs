//! `checker run` with several files, options of nvcc, headers and the environment.
//!
//! Needs a CUDA 13 compiler and the host's g++.

use std::fs;
use std::path::Path;

use crate::cli::common::{Ran, checker, run};

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, text).expect("writes");
    }
    folder
}

fn checker_run(folder: &Path, args: &[&str]) -> Ran {
    let mut command = checker(folder);
    command.args(["run", "--backend", "sim"]).args(args).env("NO_COLOR", "1");
    run(&mut command)
}

/// A kernel in a header, which writes past the end where `n` is less than 32.
const HEADER: &str = "#pragma once\n#include <cstdio>\n\n\n\n\n\
    __global__ void fill(float* dest, int n) {\n\
    \x20   int i = blockIdx.x * blockDim.x + threadIdx.x;\n\
    \x20   dest[i] = SCALE * i;\n\
    }\n";

const MAIN: &str = "#include <fill.cuh>\n#include \"near.h\"\n\
    int main() {\n\
    \x20   float* p;\n\
    \x20   cudaMalloc(&p, N * sizeof(float));\n\
    \x20   fill<<<1, 32>>>(p, N);\n\
    \x20   float h[N];\n\
    \x20   cudaMemcpy(h, p, sizeof(h), cudaMemcpyDeviceToHost);\n\
    \x20   cudaFree(p);\n\
    \x20   printf(\"%g %d\\n\", h[3], near());\n\
    }\n";

fn with_header() -> tempfile::TempDir {
    folder(&[
        ("inc/fill.cuh", HEADER),
        ("main.cu", MAIN),
        ("near.h", "inline int near() { return 7; }\n"),
    ])
}

#[test]
fn options_of_nvcc_and_the_environment_reach_the_compiler() {
    let folder = with_header();
    let options =
        ["-Iinc", "-D", "N=32", "-DSCALE=2.0f", "-std=c++20", "-arch=sm_80", "-O3", "-o", "x"];
    let ran = checker_run(folder.path(), &[&options[..], &["main.cu"]].concat());
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (0, "6 7\n", ""));
    let mut command = checker(folder.path());
    command.args(["run", "--backend", "sim", "-DN=32", "-DSCALE=3", "main.cu"]).env("CPATH", "inc");
    let ran = run(&mut command);
    assert_eq!((ran.code, ran.out.as_str()), (0, "9 7\n"), "{ran:?}");
}

/// With the option, `<<<>>>` and the calls without a stream use the default stream of their thread.
#[test]
fn each_thread_may_have_a_default_stream_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let program = "#include <cstdio>
__global__ void fill(int* out) { out[threadIdx.x] = threadIdx.x; }
int main() {
    int *d, last;
    cudaMalloc(&d, 32 * sizeof(int));
    fill<<<1, 32>>>(d);
    cudaMemcpy(&last, d + 31, sizeof(int), cudaMemcpyDeviceToHost);
    printf(\"%d\\n\", last);
    cudaFree(d);
}
";
    fs::write(folder.path().join("main.cu"), program).unwrap();
    let ran = checker_run(folder.path(), &["-default-stream", "per-thread", "main.cu"]);
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (0, "31\n", ""));
}

/// A finding is shown in the file in which it happens, with the names of that file.
#[test]
fn a_finding_in_a_header_is_shown_there() {
    let folder = with_header();
    let ran = checker_run(folder.path(), &["-Iinc", "-DN=10", "-DSCALE=2", "main.cu"]);
    assert_eq!(ran.code, 1);
    for part in ["inc/fill.cuh:9:5", "thread 10 writes dest[10]", "dest[i] = SCALE * i;"] {
        assert!(ran.err.contains(part), "{part}: {}", ran.err);
    }
    assert!(!ran.err.contains("cudaFree"), "{}", ran.err);
}

#[test]
fn an_error_in_a_header_is_shown_there() {
    let folder = with_header();
    let ran = checker_run(folder.path(), &["-Iinc", "-DN=10", "-DSCALE=two", "main.cu"]);
    assert_eq!(ran.code, 1);
    for part in ["inc/fill.cuh:9:", "identifier \"two\" is undefined"] {
        assert!(ran.err.contains(part), "{part}: {}", ran.err);
    }
}

const FIRST: &str = "#include <cstdio>\n\
    extern __device__ float scale;\n\
    __device__ float twice(float x);\n\
    static __device__ __noinline__ float own(float x) { return x + 1; }\n\
    void more(float* d);\n\
    __global__ void one(float* x) { x[0] = twice(own(x[0])) * scale; printf(\"one\\n\"); }\n\
    int main() {\n\
    \x20   float* d; cudaMalloc(&d, 4); cudaMemset(d, 0, 4);\n\
    \x20   one<<<1, 1>>>(d); more(d);\n\
    \x20   float h; cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);\n\
    \x20   printf(\"%g\\n\", h); cudaFree(d);\n\
    }\n";
const SECOND: &str = "#include <cstdio>\n\
    __device__ float scale = 3;\n\
    static __device__ __noinline__ float own(float x) { return 2 * x; }\n\
    __device__ float twice(float x) { return own(x); }\n\
    __global__ void two(float* x) { x[0] += 1; printf(\"two\\n\"); }\n\
    void more(float* d) { two<<<1, 1>>>(d); }\n";

/// Device code of one file uses functions and variables of another, as nvlink links it: the
/// functions that are static in both files stay apart.
#[test]
fn device_code_of_several_files_is_linked() {
    let folder = folder(&[("a.cu", FIRST), ("b.cu", SECOND)]);
    let ran = checker_run(folder.path(), &["-rdc=true", "a.cu", "b.cu"]);
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (0, "one\ntwo\n7\n", ""));
    let ran = checker_run(folder.path(), &["a.cu", "b.cu"]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("-rdc=true") && ran.err.contains("a.cu:"), "{}", ran.err);
    let ran = checker_run(folder.path(), &["-rdc=true", "a.cu"]);
    assert!(ran.code == 1 && ran.err.contains("nothing defines it"), "{}", ran.err);
}

/// A kernel that launches a kernel is correct CUDA, and not an error of the linker.
#[test]
fn kernels_that_launch_kernels_are_refused_in_a_sentence() {
    let source = "__global__ void child() {}\n__global__ void parent() { child<<<1, 1>>>(); }\n\
        int main() { parent<<<1, 1>>>(); return cudaDeviceSynchronize(); }\n";
    let folder = folder(&[("main.cu", source)]);
    for options in [&["main.cu"][..], &["-rdc=true", "main.cu", "-lcudadevrt"]] {
        let ran = checker_run(folder.path(), options);
        assert!(ran.code != 0 && ran.err.contains("dynamic parallelism"), "{ran:?}");
    }
}

#[test]
fn what_is_missing_is_named() {
    let folder = folder(&[
        ("blocks.cu", "extern \"C\" __global__ void blocks() {}\n"),
        ("mine.cu", "__global__ void mine() {}\n"),
        ("calls.cu", "float lost(int n);\nint main() { return lost(3) > 0; }\n"),
        (
            "warns.cu",
            "#include <cstdio>\nint main() { int x = 1; x == 2; printf(\"%d\\n\", x); }\n",
        ),
    ]);
    for (args, says) in [
        (&["blocks.cu"][..], "check blocks`?"),
        (&["mine.cu"], "there is no main() here"),
        (&["calls.cu"], "`lost` is called, but nothing defines it"),
        (&["calls.cu", "none.cu"], "none.cu: there is no such file"),
        (&["calls.cu", "-lcublas"], "cuBLAS is correct CUDA that the checker does not support"),
    ] {
        let ran = checker_run(folder.path(), args);
        assert!(ran.code != 0 && ran.err.contains(says), "{args:?}: {}", ran.err);
    }
    let ran = checker_run(folder.path(), &["warns.cu"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "1\n"));
    assert_eq!(ran.err, "warning: expression has no effect (line 2 of warns.cu)\n");
}

/// Code is compiled for the capability that the device reports, and lambdas for the device work.
#[test]
fn code_is_compiled_for_the_device() {
    let source = "#include <cstdio>\n\
        template <typename F> __global__ void each(F f) { f(threadIdx.x); }\n\
        __global__ void compare(int own) {\n\
        #ifdef __CUDA_ARCH__\n\
        \x20   printf(\"%d %u\\n\", __CUDA_ARCH__ - own, __reduce_add_sync(1, 5u));\n\
        #endif\n\
        }\n\
        int main() {\n\
        \x20   cudaDeviceProp p; cudaGetDeviceProperties(&p, 0);\n\
        \x20   int own = 100 * p.major + 10 * p.minor;\n\
        \x20   compare<<<1, 1>>>(own);\n\
        \x20   each<<<1, 1>>>([=] __device__ (int i) { printf(\"%d %d\\n\", i, own); });\n\
        \x20   return cudaDeviceSynchronize();\n\
        }\n";
    let folder = folder(&[("main.cu", source)]);
    let ran = checker_run(folder.path(), &["main.cu"]);
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (0, "0 5\n0 900\n", ""));
}
