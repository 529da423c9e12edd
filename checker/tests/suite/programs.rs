//! Whole programs that nvcc compiles and the simulator runs. Their expected output,
//! `tests/programs/NAME.out`, is what they printed on an NVIDIA H200 (driver 580, CUDA 13.0) after
//! `nvcc -std=c++17 -arch=native NAME.cu`.
//!
//! Needs a CUDA 13 compiler (`cargo checker setup` installs one) and the host's g++.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{fs, io};

use checker::compile::{Outcome, ProgramOptions, Project, Target, nvcc};
use checker::program::{self, Simulation};
use checker::toolchain;
use cudart_sim::report::{CallSite, Copies, Leak, LeakKind, Report, Synchronisations, Traffic};

fn run(file: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_checker"));
    command.args(["run", "--backend", "sim"]).arg(file).arg("--").args(args).env("NO_COLOR", "1");
    command.output().expect("the checker runs")
}

/// The simulator's report about a program.
fn report(file: &Path) -> Report {
    let compilers = toolchain::find_or_install(None, &mut |_| ()).expect("a CUDA compiler");
    let text = fs::read_to_string(file).expect("a program");
    let options = ProgramOptions::program(Target::Simulator, Project::default());
    let outcome = nvcc::compile(&compilers.programs, &text, &file.to_string_lossy(), &options);
    let Outcome::Compiled(program) = outcome else { panic!("{outcome:?}") };
    let simulation = Simulation {
        seed: 0,
        memory: Simulation::DEFAULT_MEMORY,
        budget: Simulation::DEFAULT_BUDGET,
        traced: None,
        resources: program.resources.clone().unwrap_or_default(),
    };
    let ended = program::run(&program.object, Some(simulation), &[]).expect("it runs");
    ended.report.expect("a report")
}

/// Programs with calls that fail on purpose, and whose results they check.
const FAIL_ON_PURPOSE: &[&str] = &[
    "attached_memory",
    "big_shared",
    "cooperative_reduction",
    "device_buffer",
    "grid_sync",
    "host_register",
    "host_threads",
    "properties",
    "registers",
    "shared_memory",
    "symbols",
];

fn programs() -> io::Result<Vec<PathBuf>> {
    let mut all = vec![];
    for entry in fs::read_dir("tests/programs")? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "cu") {
            all.push(path);
        }
    }
    all.sort();
    Ok(all)
}

#[test]
fn programs_print_the_same_as_on_a_gpu() {
    let programs = programs().expect("a folder of programs");
    assert!(programs.len() >= 39, "{programs:?}");
    for path in programs {
        let wanted = fs::read_to_string(path.with_extension("out")).expect("its output");
        let output = run(&path, &[]);
        let report = String::from_utf8_lossy(&output.stderr);
        assert_eq!(String::from_utf8_lossy(&output.stdout), wanted, "{}: {report}", path.display());
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let slugs =
            report.lines().filter_map(|line| line.strip_prefix("error[")?.split(']').next());
        let slugs: BTreeSet<&str> = slugs.collect();
        let purpose: &[&str] = match &*name {
            "mistakes" => &["call-failed", "double-free", "invalid-free"],
            name if FAIL_ON_PURPOSE.contains(&name) => &["call-failed"],
            _ => &[],
        };
        let right = purpose.is_empty();
        let as_expected = report.is_empty() == right && output.status.success() == right;
        assert!(as_expected, "{}: {report}", path.display());
        assert_eq!(slugs, BTreeSet::from_iter(purpose.iter().copied()), "{}", path.display());
    }
}

/// Writes a program and runs it. Returns its exit code, its output, and the checker's report.
fn wrong(source: &str, args: &[&str]) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.cu");
    fs::write(&file, source).expect("written");
    let output = run(&file, args);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

const ADD_ONE: &str = "#include <cstdio>\n#include <cstdlib>\n\
    __global__ void add_one(float* x, int n) {\n\
    \x20   const int i = blockIdx.x * blockDim.x + threadIdx.x;\n\
    \x20   if (i <= n) x[i] += 1;\n\
    }\n";

#[test]
fn a_wrong_kernel_is_reported_at_its_line_and_the_program_continues() {
    let main = "int main() { float* d; cudaMalloc(&d, 400); cudaMemset(d, 0, 400);\n\
                add_one<<<1, 128>>>(d, 100); printf(\"%d\\n\", cudaDeviceSynchronize()); cudaFree(d); }";
    let (code, printed, report) = wrong(&format!("{ADD_ONE}{main}"), &[]);
    assert_eq!((code, printed.as_str()), (Some(1), "0\n"));
    for part in ["out-of-bounds", "program.cu:5:", "x[100]", "thread 100", "kernel `add_one`"] {
        assert!(report.contains(part), "{part}: {report}");
    }
}

/// On a GPU, a program with a missing wait is sometimes right by luck. Here it never is.
#[test]
fn a_missing_wait_shows_every_time() {
    let main = "int main() { float *d, *h; cudaMalloc(&d, 400); cudaMallocHost(&h, 400);\n\
                for (int i = 0; i < 100; ++i) h[i] = i;\n\
                cudaStream_t s; cudaStreamCreate(&s);\n\
                cudaMemcpyAsync(d, h, 400, cudaMemcpyHostToDevice, s);\n\
                add_one<<<1, 100, 0, s>>>(d, 99);\n\
                cudaMemcpyAsync(h, d, 400, cudaMemcpyDeviceToHost, s);\n\
                printf(\"%g\\n\", h[7]); cudaStreamSynchronize(s); printf(\"%g\\n\", h[7]);\n\
                cudaFree(d); return 3; }";
    let (code, printed, report) = wrong(&format!("{ADD_ONE}{main}"), &[]);
    assert_eq!((code, printed.as_str()), (Some(3), "7\n8\n"));
    assert!(report.contains("error[host-race]"), "{report}");
}

#[test]
fn programs_that_cannot_be_compiled_or_run_are_reported() {
    let (code, _, report) = wrong("int main() { return missing; }", &[]);
    assert!(code == Some(1) && report.contains("program.cu:1:21"), "{report}");
    let unsupported =
        "int main() { cudaIpcMemHandle_t h; return cudaIpcGetMemHandle(&h, nullptr); }";
    let (code, _, report) = wrong(unsupported, &[]);
    assert!(code == Some(3) && report.contains("cudaIpcGetMemHandle"), "{report}");
    let (code, printed, report) = wrong("#include <cstdlib>\nint main() { abort(); }", &[]);
    assert!(code == Some(1) && printed.is_empty() && report.contains("aborted"), "{report}");
    let missing = run(Path::new("no such program.cu"), &[]);
    let report = String::from_utf8_lossy(&missing.stderr);
    assert!(
        missing.status.code() == Some(2) && report.contains("there is no such file"),
        "{report}"
    );
    let arguments = "#include <cstdlib>\nint main(int n, char** v) { exit(n + atoi(v[1])); }";
    assert_eq!(wrong(arguments, &["40"]).0, Some(42));
}

/// A kernel that waits for an answer of the host is a limit of the simulator, and no mistake.
/// A program whose checker was killed would otherwise take a core for ever.
#[test]
#[cfg(target_os = "linux")]
fn a_program_ends_with_its_checker() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;
    use std::time::Duration;

    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("endless.cu");
    let source = "#include <cstdio>\n#include <unistd.h>\nint main() {\n\
                  printf(\"%d\\n\", getpid());\n  fflush(stdout);\n  for (;;) pause();\n}\n";
    fs::write(&file, source).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_checker"));
    command.args(["run", "--backend", "sim"]).arg(&file).stdout(Stdio::piped());
    let mut checker = command.spawn().expect("the checker runs");
    let mut line = String::new();
    let stdout = checker.stdout.take().expect("a pipe");
    BufReader::new(stdout).read_line(&mut line).expect("the program's line");
    let program = Path::new("/proc").join(line.trim());
    assert!(program.exists(), "{line}");
    checker.kill().expect("killed");
    checker.wait().expect("ended");
    // the kernel ends the process soon; a minute of waiting is more than it takes on a busy machine
    let ended = || {
        let status = fs::read_to_string(program.join("status"));
        status.map_or(true, |status| status.contains("State:\tZ"))
    };
    let waits = std::iter::repeat_with(|| std::thread::sleep(Duration::from_millis(20)));
    assert!(waits.take(3000).any(|()| ended()), "{} runs on", program.display());
}

#[test]
fn a_dialogue_between_kernel_and_host_is_refused() {
    let output = run(Path::new("tests/programs/facts/dialogue.cu"), &[]);
    let report = String::from_utf8_lossy(&output.stderr);
    assert!(report.contains("it waits for an answer of the host"), "{report}");
    assert!(!report.contains("error[livelock]"), "{report}");
}

/// Pages of device memory are taken from the computer when they are used, and the option says how
/// much there is.
#[test]
fn the_device_has_more_memory_than_a_program_uses() {
    let source = "#include <cstdio>\nint main() { char *a, *b; size_t size = 3ull << 30;\n\
        const int first = cudaMalloc(&a, size), second = cudaMalloc(&b, size);\n\
        printf(\"%d %d\\n\", first, second); cudaFree(a); if (second == 0) cudaFree(b); }";
    let (code, printed, report) = wrong(source, &[]);
    assert_eq!((code, printed.as_str(), report.as_str()), (Some(0), "0 0\n", ""));
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.cu");
    fs::write(&file, source).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_checker"));
    command.args(["run", "--backend", "sim", "--device-memory", "4"]).arg(&file);
    let output = command.env("NO_COLOR", "1").output().expect("the checker runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "0 2\n");
    let report = String::from_utf8_lossy(&output.stderr);
    assert!(report.contains("asks for 3 GiB, and 1 GiB are free"), "{report}");
    assert!(report.contains("--device-memory"), "{report}");
}

/// A kernel that is stopped at the simulator's limit may be right, and the option raises the limit.
#[test]
fn the_option_raises_the_limit_of_instructions() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.cu");
    let source = "#include <cstdio>\n__global__ void k(float* x, int n) {\n\
        float y = x[0];\n#pragma unroll 1\n\
        for (int i = 0; i < n; i++) y = y * 0.5f + 1.0f;\n    x[0] = y;\n}\n\
        int main() { float *d, h = 0; cudaMalloc(&d, 4); cudaMemset(d, 0, 4); k<<<1, 1>>>(d, 1000000);\n\
        cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost); printf(\"%g\\n\", h); cudaFree(d); }";
    fs::write(&file, source).expect("written");
    let run = |options: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_checker"));
        command.args(["run", "--backend", "sim"]).args(options).arg(&file);
        let output = command.env("NO_COLOR", "1").output().expect("the checker runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&output.stdout), text(&output.stderr))
    };
    assert_eq!(run(&[]), ("2\n".into(), String::new()));
    let (_, report) = run(&["--budget", "1"]);
    assert!(report.contains("not finished after 1 000 000 instructions"), "{report}");
    assert!(report.contains("`--budget MILLIONS` raises it"), "{report}");
}

const ASSEMBLY_MAIN: &str = "int main() { int* d; cudaMalloc(&d, 16); k<<<1, 32>>>(d);\n\
    cudaDeviceSynchronize(); cudaFree(d); }";

/// What the simulator does not support has its place in the source, and the whole instruction. The
/// assembler has accepted it, so that its spelling is right.
#[test]
fn an_unsupported_instruction_has_its_line() {
    let source = "__global__ void k(int* x) {\n    x[threadIdx.x / 8] = 1;\n\
        asm volatile(\"barrier.cluster.arrive.release.aligned;\");\n}\n";
    let (code, _, report) = wrong(&format!("{source}{ASSEMBLY_MAIN}"), &[]);
    assert_eq!(code, Some(1), "{report}");
    let expected = [
        "not your bug[unsupported]",
        "`barrier.cluster.arrive.release.aligned`",
        "program.cu:3:",
        "`--backend gpu` runs it there",
    ];
    for text in expected {
        assert!(report.contains(text), "{text}: {report}");
    }
    assert!(!report.contains("spelling"), "{report}");
}

/// An error of the assembler stands at the inline assembly that it is about.
#[test]
fn invalid_assembly_has_its_line() {
    for (statement, error) in [
        ("add.s32 %0, %0;", "Arguments mismatch for instruction 'add'"),
        ("addd.s32 %0, %0, %0;", "Not a name of any known instruction"),
    ] {
        let source = format!(
            "__global__ void k(int* x) {{\n    int y = 1;\n    asm volatile(\"{statement}\" : \"+r\"(y));\n    x[0] = y;\n}}\n"
        );
        let (code, _, report) = wrong(&format!("{source}{ASSEMBLY_MAIN}"), &[]);
        assert_eq!(code, Some(1), "{report}");
        for text in ["error[compile-error]: inline assembly: ", error, "program.cu:3:5"] {
            assert!(report.contains(text), "{text}: {report}");
        }
    }
}

/// What a kernel prints is not cut.
#[test]
fn a_kernel_may_print_more_than_a_megabyte() {
    let source = "#include <cstdio>\n__global__ void flood() {\n\
        printf(\"thread %6d says hello to the world\\n\", blockIdx.x * blockDim.x + threadIdx.x);\n}\n\
        int main() { flood<<<160, 256>>>(); cudaDeviceSynchronize(); }";
    let (code, printed, report) = wrong(source, &[]);
    assert_eq!((code, report.as_str()), (Some(0), ""));
    assert_eq!((printed.lines().count(), printed.len()), (160 * 256, 160 * 256 * 38));
}

/// An event that was never recorded is an invalid handle, even if the other one is still pending
/// (CUDA Runtime API, `cudaEventElapsedTime`), and `cudaMemset2D` is called by its own name.
#[test]
fn calls_fail_with_their_own_codes_and_names() {
    let source = "#include <cstdio>\n__global__ void k() {}\n\
        int main() { cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b); cudaEventRecord(a);\n\
        k<<<1, 1>>>(); float ms; printf(\"%d\\n\", cudaEventElapsedTime(&ms, a, b));\n\
        cudaMemset2D(nullptr, 4, 0, 4, 1); cudaDeviceSynchronize();\n\
        cudaEventDestroy(a); cudaEventDestroy(b); }";
    let (code, printed, report) = wrong(source, &[]);
    assert_eq!((code, printed.as_str()), (Some(1), "400\n"), "{report}");
    assert!(report.contains("cudaMemset2D fails"), "{report}");
}

/// The same mistake in several launches of one line is reported once.
#[test]
fn one_mistake_in_a_loop_is_reported_once() {
    let main = "int main() { float* d; cudaMalloc(&d, 400); cudaMemset(d, 0, 400);\n\
                for (int i = 0; i < 5; ++i) add_one<<<1, 128>>>(d, 100);\n\
                cudaDeviceSynchronize(); cudaFree(d); }";
    let (code, _, report) = wrong(&format!("{ADD_ONE}{main}"), &[]);
    assert_eq!((code, report.matches("error[").count()), (Some(1), 1), "{report}");
    assert!(report.contains("4 more launches of `add_one`"), "{report}");
}

/// An array and its objects are separate leaks, and the size of the array is that of its texels.
#[test]
fn leaked_arrays_and_objects_are_reported() {
    let report = report(Path::new("tests/programs/facts/leaked.cu"));
    let summary = |leak: &Leak| {
        let line = leak.at.as_ref().and_then(|at| at.source.as_ref()).map(|source| source.line);
        (leak.kind, leak.bytes, line)
    };
    let leaks: Vec<_> = report.leaks.iter().map(summary).collect();
    let expected = [
        (LeakKind::Texture, 0, Some(13)),
        (LeakKind::Surface, 0, Some(15)),
        (LeakKind::Array, 60, Some(5)),
    ];
    assert_eq!(leaks, expected);
    assert_eq!(report.allocations, 0);
}

/// Everything that gates can count is counted, and each call has its line, also in a template, in a
/// constructor and of a launch.
#[test]
fn calls_are_counted_and_have_their_lines() {
    let report = report(Path::new("tests/programs/facts/counted.cu"));
    let line = |place: &Option<CallSite>| {
        let source = place.as_ref().and_then(|place| place.source.as_ref());
        source.filter(|source| source.file.ends_with("counted.cu")).map(|source| source.line)
    };
    assert_eq!(report.copies.to_device, Traffic { calls: 1, bytes: 400 });
    assert_eq!(report.copies.to_host, Traffic::default());
    assert_eq!(report.sets, Traffic { calls: 1, bytes: 200 });
    assert_eq!((report.allocations, report.allocated), (3, 1800));
    assert_eq!((report.peak, report.peak_live), (1400, 2));
    assert_eq!(report.streams, 1);
    let Synchronisations { device, stream, event, .. } = report.synchronisations;
    assert_eq!((device, stream, event), (1, 0, 1));
    let leaks: Vec<_> = report.leaks.iter().map(|leak| (leak.kind, line(&leak.at))).collect();
    let expected = [
        (LeakKind::Memory, Some(15)),
        (LeakKind::Stream, Some(25)),
        (LeakKind::Event, Some(28)),
        (LeakKind::Event, Some(29)),
    ];
    assert_eq!(leaks, expected);
    let launches: Vec<_> = report.launches.iter().map(|l| (l.stream, line(&l.at))).collect();
    assert_eq!(launches, [(1, Some(26)), (0, Some(32))]);
    let spans: Vec<_> = report.launches.iter().filter_map(|l| l.span).collect();
    assert!(spans.iter().all(|span| report.timeline[*span].what == "add") && spans.len() == 2);
    let [elapsed] = &report.elapsed[..] else { panic!("{:?}", report.elapsed) };
    assert_eq!(line(&elapsed.at), Some(37));
    assert!(elapsed.end > elapsed.start);
    assert_eq!(elapsed.milliseconds, ((elapsed.end - elapsed.start) / 1e3) as f32);
}

/// A program cannot hide copies between the host and the device in managed memory, or waits in
/// queries.
#[test]
fn managed_copies_and_queries_are_counted() {
    let report = report(Path::new("tests/programs/facts/managed_copies.cu"));
    let one = Traffic { calls: 1, bytes: 400 };
    let Copies { to_device, to_host, within_device, .. } = report.copies;
    assert_eq!((to_device, to_host, within_device), (one, one, one));
    let Synchronisations { device, between_work, .. } = report.synchronisations;
    assert_eq!((device, between_work), (1, 1));
}

/// A large block of `malloc` has its pages to itself, so its first and last bytes are watched, too.
#[test]
fn the_host_races_with_a_copy_to_registered_memory() {
    for element in ["5", "n - 1"] {
        let main = format!(
            "#include <cstdio>\n#include <cstdlib>\n\
             int main() {{ const int n = 1 << 20; int* h = (int*)malloc(n * 4); h[{element}] = 7;\n\
             cudaHostRegister(h, n * 4, cudaHostRegisterDefault);\n\
             int* d; cudaMalloc(&d, n * 4); cudaMemset(d, 0, n * 4);\n\
             cudaStream_t s; cudaStreamCreate(&s); cudaDeviceSynchronize();\n\
             cudaMemcpyAsync(h, d, n * 4, cudaMemcpyDeviceToHost, s);\n\
             printf(\"%d\\n\", h[{element}]); cudaStreamSynchronize(s); printf(\"%d\\n\", h[{element}]);\n\
             cudaStreamDestroy(s); cudaHostUnregister(h); cudaFree(d); free(h); }}"
        );
        let (code, printed, report) = wrong(&main, &[]);
        assert_eq!((code, printed.as_str()), (Some(1), "7\n0\n"), "{report}");
        assert!(report.contains("error[host-race]") && report.contains("`h`"), "{report}");
    }
}

/// A missing order between streams is the cause, and what was read too early its consequence.
#[test]
fn a_missing_wait_between_streams_is_reported_alone() {
    let kernels = "#include <cstdio>\n\
        __global__ void produce(float* a, int n) { int i = threadIdx.x; if (i < n) a[i] = i; }\n\
        __global__ void consume(const float* a, float* b, int n) {\n\
        \x20   int i = threadIdx.x; if (i < n) b[i] = a[n - 1 - i];\n}\n";
    let program = |work: &str| {
        format!(
            "{kernels}int main() {{ float *a, *b, *h; cudaMalloc(&a, 400); cudaMalloc(&b, 400);\n\
             cudaMallocHost(&h, 400); for (int i = 0; i < 100; ++i) h[i] = i;\n\
             cudaStream_t s, t; cudaStreamCreate(&s); cudaStreamCreate(&t);\n\
             {work}\n\
             cudaStreamSynchronize(t); cudaStreamSynchronize(s); printf(\"%g\\n\", h[0]);\n\
             cudaStreamDestroy(s); cudaStreamDestroy(t); cudaFree(a); cudaFree(b); cudaFreeHost(h); }}"
        )
    };
    let kernel = "produce<<<1, 128, 0, s>>>(a, 100);\nconsume<<<1, 128, 0, t>>>(a, b, 100);\n\
                  cudaMemcpyAsync(h, b, 400, cudaMemcpyDeviceToHost, t);";
    let copy = "cudaMemcpyAsync(a, h, 400, cudaMemcpyHostToDevice, s);\n\
                produce<<<1, 128, 0, s>>>(a, 100);\n\
                cudaMemcpyAsync(h, a, 400, cudaMemcpyDeviceToHost, t);";
    for work in [kernel, copy] {
        let (code, _, report) = wrong(&program(work), &[]);
        assert_eq!(code, Some(1), "{report}");
        assert!(report.contains("error[missing-wait]"), "{report}");
        assert!(!report.contains("uninitialised"), "{report}");
    }
}

/// Other lines with the same wrong index have threads of their own.
#[test]
fn threads_are_those_of_the_marked_line() {
    let source = "__global__ void two(int* a, int n) {\n\
        \x20   const int i = threadIdx.x;\n\
        \x20   if (i < 20)\n        a[n + i] = 1;\n\
        \x20   __syncthreads();\n\
        \x20   if (i < 50)\n        a[n + i] += 2;\n}\n\
        int main() { int* a; cudaMalloc(&a, 400); cudaMemset(a, 0, 400);\n\
        two<<<1, 64>>>(a, 100); cudaDeviceSynchronize(); cudaFree(a); }";
    let (_, _, report) = wrong(source, &[]);
    assert!(report.contains("20 threads do this") && !report.contains("50 threads"), "{report}");
}

/// On an H200, a stream in the place of the bytes of shared memory is cudaErrorInvalidValue.
#[test]
fn a_stream_is_no_number_of_bytes() {
    let source = format!(
        "{ADD_ONE}int main() {{ float* d; cudaMalloc(&d, 400); cudaMemset(d, 0, 400);\n\
         cudaStream_t s; cudaStreamCreate(&s); add_one<<<1, 32, (size_t)s>>>(d, 99);\n\
         printf(\"%d\\n\", cudaGetLastError()); cudaEvent_t e; cudaEventCreate(&e);\n\
         add_one<<<1, 32, (size_t)e, s>>>(d, 99); printf(\"%d\\n\", cudaGetLastError());\n\
         cudaEventDestroy(e); cudaStreamDestroy(s); cudaFree(d); }}"
    );
    let (_, printed, report) = wrong(&source, &[]);
    assert_eq!(printed, "1\n1\n", "{report}");
}

/// In the sandbox, a program prints, exits and is judged as usual, but it finds no file, no input
/// and no environment.
#[test]
fn a_program_in_the_sandbox_only_computes() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |source: &str, secret: &Path| {
        let file = folder.path().join("program.cu");
        fs::write(&file, source).expect("written");
        let mut command = Command::new(env!("CARGO_BIN_EXE_checker"));
        command.args(["run", "--sandbox", "require"]).arg(&file).arg("--").arg(secret);
        let output = command.env("NO_COLOR", "1").output().expect("the checker runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (secret, written) = (folder.path().join("secret.txt"), folder.path().join("new.txt"));
    fs::write(&secret, "secret").expect("written");
    let source = format!(
        "#include <cstdio>\n#include <cstdlib>\n#include <iostream>\n\
         __global__ void k(int* x) {{ x[1] = 1; }}\n\
         int main(int count, char** words) {{\n\
             int* x;\n    cudaMalloc(&x, 4);\n    k<<<1, 1>>>(x);\n    cudaDeviceSynchronize();\n\
             std::ios_base::sync_with_stdio(false);\n    std::cout << count << '\\n';\n\
             bool reads = fopen(words[1], \"r\"), writes = fopen({:?}, \"w\");\n\
             printf(\"%d %d %d %d\\n\", reads, writes, getenv(\"PATH\") != nullptr, getchar());\n\
             cudaFree(x);\n    exit(3);\n}}\n",
        written.display().to_string()
    );
    let (code, printed, report) = run(&source, &secret);
    let mut lines: Vec<&str> = printed.lines().collect();
    lines.sort_unstable();
    assert_eq!((code, lines), (Some(3), vec!["0 0 0 -1", "2"]), "{report}");
    assert!(report.contains("error[out-of-bounds-write]"), "{report}");
    assert!(!written.exists());

    let (code, _, report) = run("int main() { volatile int* p = 0; *p = 1; }\n", &secret);
    assert!(code == Some(1) && report.contains("error[host-crash]"), "{report}");
    let shell = "#include <cstdlib>\nint main() { return system(\"true\"); }\n";
    let (code, _, report) = run(shell, &secret);
    assert!(code == Some(1) && report.contains("the sandbox forbids"), "{report}");
    let flood = "#include <cstdio>\nint main() { for (;;) puts(\"again and again\"); }\n";
    let (code, printed, report) = run(flood, &secret);
    assert!(code == Some(1) && printed.len() < 1 << 17, "{} {report}", printed.len());
    assert!(report.contains("more bytes of its output") && report.contains("printed too much"));
    let (code, _, report) = run("__global__ void k() {}\n", &secret);
    assert!(code == Some(2) && report.contains("no main() here"), "{report}");
}

/// What was open in the shell that started the checker is not open in a confined program.
#[test]
#[cfg(target_os = "linux")]
fn a_program_in_the_sandbox_inherits_no_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, secret) = (folder.path().join("program.cu"), folder.path().join("secret.txt"));
    let source = "#include <cstdio>\n#include <cstring>\n#include <unistd.h>\n\
        int main() {\n    int found = 0;\n    for (int d = 3; d < 1000; ++d) {\n\
        char text[6] = {};\n        pread(d, text, 6, 0);\n\
        found += !memcmp(text, \"secret\", 6);\n    }\n    printf(\"%d\\n\", found);\n}\n";
    fs::write(&file, source).expect("written");
    fs::write(&secret, "secret").expect("written");
    let open = fs::File::open(&secret).expect("open");
    rustix::io::fcntl_setfd(&open, rustix::io::FdFlags::empty()).expect("inherited");
    let mut command = Command::new(env!("CARGO_BIN_EXE_checker"));
    command.args(["run", "--sandbox", "require"]).arg(&file);
    let output = command.env("NO_COLOR", "1").output().expect("the checker runs");
    let report = String::from_utf8_lossy(&output.stderr);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "0\n", "{report}");
}

/// A confined program that never ends is ended, and keeps what it has printed.
#[test]
fn a_confined_program_ends_in_time() {
    use checker::worker::{End, Worker};
    use std::time::Duration;

    let compilers = toolchain::find_or_install(None, &mut |_| ()).expect("a CUDA compiler");
    let source = "#include <cstdio>\nint main() { puts(\"here\"); fflush(stdout);\n\
                  for (volatile bool on = true; on;) {} }\n";
    let options = ProgramOptions::program(Target::Simulator, Project::default());
    let outcome = nvcc::compile(&compilers.programs, source, "endless.cu", &options);
    let Outcome::Compiled(program) = outcome else { panic!("{outcome:?}") };
    let simulation = Simulation {
        seed: 0,
        memory: Simulation::DEFAULT_MEMORY,
        budget: Simulation::DEFAULT_BUDGET,
        traced: None,
        resources: vec![],
    };
    let mut worker = Worker::with_program(PathBuf::from(env!("CARGO_BIN_EXE_checker-worker")));
    let limit = Duration::from_millis(700);
    let run = worker.run_whole(&program.object, &[], &simulation, limit).expect("it runs");
    assert_eq!((run.end, run.printed.as_str()), (End::TimedOut(limit), "here\n"));
    assert!(run.report.is_none());
}
