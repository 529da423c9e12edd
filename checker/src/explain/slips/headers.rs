//! Headers that are missing or not available.

use super::{Help, Setting, Slip};

const NO_HEADERS: &str = "kernel exercises need no #include: CUDA's built-ins, math functions and printf are already available";

const HOST_LIBRARY: &str =
    "a GPU thread cannot use the host's C++ library: use arrays and CUDA's own functions";

/// Names of the C and C++ libraries and their headers.
const HEADERS: [(&str, &[&str]); 12] = [
    (
        "cstdio",
        &[
            "printf", "fprintf", "puts", "putchar", "scanf", "fopen", "fflush", "stdout", "stderr",
            "FILE", "perror", "snprintf",
        ],
    ),
    (
        "cstdlib",
        &[
            "malloc",
            "calloc",
            "free",
            "exit",
            "EXIT_FAILURE",
            "EXIT_SUCCESS",
            "rand",
            "srand",
            "RAND_MAX",
            "atoi",
            "atof",
            "strtol",
            "abort",
        ],
    ),
    ("cstring", &["memcpy", "memset", "memcmp", "strlen", "strcmp", "strcpy"]),
    ("iostream", &["cout", "cerr", "cin", "endl"]),
    ("vector", &["vector"]),
    ("string", &["string", "to_string"]),
    ("algorithm", &["sort", "fill", "generate", "copy", "max_element", "min_element", "equal"]),
    ("chrono", &["chrono"]),
    ("cassert", &["assert"]),
    (
        "cfloat",
        &[
            "FLT_MAX",
            "FLT_MIN",
            "FLT_EPSILON",
            "FLT_DIG",
            "DBL_MAX",
            "DBL_MIN",
            "DBL_EPSILON",
            "DBL_DIG",
        ],
    ),
    (
        "climits",
        &[
            "INT_MAX",
            "INT_MIN",
            "UINT_MAX",
            "LONG_MAX",
            "LONG_MIN",
            "ULONG_MAX",
            "LLONG_MAX",
            "LLONG_MIN",
            "ULLONG_MAX",
            "CHAR_BIT",
            "CHAR_MAX",
            "UCHAR_MAX",
            "SHRT_MAX",
        ],
    ),
    (
        "cstdint",
        &[
            "uint8_t",
            "int8_t",
            "uint16_t",
            "int16_t",
            "uint32_t",
            "int32_t",
            "uint64_t",
            "int64_t",
            "uintptr_t",
            "intptr_t",
            "uintmax_t",
            "intmax_t",
            "SIZE_MAX",
            "INT32_MAX",
            "INT32_MIN",
            "UINT32_MAX",
            "INT64_MAX",
            "INT64_MIN",
            "UINT64_MAX",
            "UINT8_MAX",
            "UINT16_MAX",
        ],
    ),
];

/// A few more, which need another sentence or are rarer.
const MORE: [(&str, &[&str]); 22] = [
    ("cmath", &["M_PI", "M_E", "INFINITY", "NAN", "HUGE_VALF"]),
    ("ctime", &["clock", "time", "clock_t", "CLOCKS_PER_SEC"]),
    ("memory", &["unique_ptr", "make_unique", "shared_ptr"]),
    ("random", &["mt19937", "uniform_real_distribution", "random_device"]),
    ("numeric", &["iota", "accumulate"]),
    ("limits", &["numeric_limits"]),
    ("cstddef", &["ptrdiff_t", "max_align_t", "offsetof"]),
    ("cctype", &["isdigit", "isalpha", "isspace", "toupper", "tolower"]),
    ("array", &["array"]),
    ("map", &["map", "multimap"]),
    ("set", &["set", "multiset"]),
    ("unordered_map", &["unordered_map"]),
    ("utility", &["pair", "make_pair", "swap", "move", "exchange"]),
    ("tuple", &["tuple", "make_tuple", "tie"]),
    ("functional", &["function"]),
    ("complex", &["complex"]),
    ("thread", &["thread", "this_thread"]),
    ("mutex", &["mutex", "lock_guard", "unique_lock"]),
    ("fstream", &["ifstream", "ofstream", "fstream"]),
    ("sstream", &["stringstream", "ostringstream", "istringstream"]),
    ("iomanip", &["setw", "setprecision", "setfill"]),
    ("stdexcept", &["runtime_error", "invalid_argument", "out_of_range", "logic_error"]),
];

/// Headers of which kernels can use nothing.
const HOST_ONLY: [&str; 19] = [
    "iostream",
    "vector",
    "string",
    "algorithm",
    "chrono",
    "memory",
    "random",
    "numeric",
    "ctime",
    "map",
    "set",
    "unordered_map",
    "functional",
    "thread",
    "mutex",
    "fstream",
    "sstream",
    "iomanip",
    "stdexcept",
];

fn is_host_only(header: &str) -> bool {
    HOST_ONLY.contains(&header)
}

/// The header of a name, where a program may include it. The name may be written with its
/// namespace.
pub fn of_name(name: &str, qualified: bool, device: bool) -> Option<Help> {
    let header = header_of(name)?;
    if device && is_host_only(header) {
        let note = match header {
            "iostream" => "a GPU thread prints with printf(\"%d\\n\", value), from <cstdio>",
            "ctime" | "chrono" => "a GPU thread reads a clock with clock64()",
            _ => HOST_LIBRARY,
        };
        return Some(Help::new("a name for the host").note(note));
    }
    let std = is_host_only(header) && header != "ctime"
        || ["array", "limits", "utility", "tuple", "complex"].contains(&header);
    let help =
        Help::new("its header is missing").note(format!("add #include <{header}> at the top"));
    Some(if std && !qualified { help.note(format!("the name is std::{name}")) } else { help })
}

/// Headers whose names work in kernel exercises.
const IN_KERNELS: [&str; 3] = ["cfloat", "climits", "cstdint"];

/// The header of a name that a kernel exercise may include.
pub fn in_kernels(name: &str) -> Option<Help> {
    let header = header_of(name).filter(|header| IN_KERNELS.contains(header))?;
    Some(Help::new("its header is missing").note(format!("add #include <{header}> at the top")))
}

/// The header that defines a name.
pub fn header_of(name: &str) -> Option<&'static str> {
    let found = HEADERS.iter().chain(&MORE).find(|(_, names)| names.contains(&name));
    found.map(|(header, _)| *header)
}

/// The types among the names of headers that kernels and host code may both use.
pub fn types() -> impl Iterator<Item = &'static str> {
    let names = HEADERS.iter().filter(|(header, _)| IN_KERNELS.contains(header));
    names.flat_map(|(_, names)| *names).copied().filter(|name| name.ends_with("_t"))
}

pub fn recognise(slip: &Slip<'_>) -> Option<Help> {
    let header = missing_header(slip)?;
    let line = slip.source.whole_line(slip.message.line);
    let title = format!("there is no header \"{header}\" here");
    if slip.setting == Setting::Kernel {
        return Some(in_kernel_exercise(&header).at(line).titled(in_kernel_title(&header, title)));
    }
    let help = Help::new("this file was not found").at(line).titled(title);
    Some(library(&header).map_or_else(
        || {
            let start = header.split('/').next().unwrap_or_default();
            match (header.as_str(), start) {
                ("helper_cuda.h" | "helper_functions.h" | "helper_timer.h" | "helper_math.h" | "helper_string.h" | "helper_image.h", _) => {
                    Help::new("a header of NVIDIA's samples").note(
                        "it lies in the folder Common of the samples: checker run -I path/to/Common ...",
                    )
                }
                _ if slip.setting == Setting::Run => Help::new("this file was not found").note(
                    "a header beside the program is found by its name; name other folders with -I",
                ),
                _ => Help::new("this file was not found").note(
                    "an exercise is one file: it can include the C++ library's and CUDA's headers",
                ),
            }
            .at(line)
            .titled(format!("there is no header \"{header}\" here"))
        },
        |what| help.note(what),
    ))
}

/// The header that was not found, in the words of either compiler. An error inside NVIDIA's headers
/// counts for a kernel exercise, because it means that the header is for the host.
fn missing_header(slip: &Slip<'_>) -> Option<String> {
    let directive = slip.source.line(slip.message.line).unwrap_or_default().trim_start();
    let named = || {
        let rest = directive.strip_prefix('#')?.trim_start().strip_prefix("include")?;
        Some(rest.trim().trim_matches(['<', '>', '"']).to_owned())
    };
    // An error inside a header of NVIDIA's is about the header that the learner includes.
    if slip.setting == Setting::Kernel && slip.says("not open source file") {
        return named().or_else(|| Some(slip.quoted(0).to_owned()));
    }
    if slip.says("not open source file") {
        return Some(slip.quoted(0).to_owned());
    }
    if let Some(name) = slip.sentence.strip_suffix(": No such file or directory") {
        return Some(name.to_owned());
    }
    let inside = slip.says("in NVIDIA's header") || slip.says("#include");
    (inside && slip.setting == Setting::Kernel).then(named).flatten()
}

/// What to do about a header in a kernel exercise.
fn in_kernel_exercise(header: &str) -> Help {
    let start = header.split('/').next().unwrap_or_default();
    match (header, start) {
        (_, "cub") => Help::new("this header needs host code")
            .note("kernels use the headers in <cub/block/...> and <cub/warp/...>"),
        (_, "thrust") => Help::new("this header needs host code")
            .note("Thrust is called by the host, and a kernel exercise has no host code"),
        (
            "limits" | "algorithm" | "array" | "functional" | "tuple" | "complex" | "bit"
            | "numeric",
            _,
        ) => Help::new("a header of the host").note(NO_HEADERS).note(format!(
            "for GPU code there is <cuda/std/{header}>, whose names are in cuda::std"
        )),
        _ if is_host_only(header) => Help::new("a header of the host").note(HOST_LIBRARY),
        _ => Help::new("this line is not needed").note(NO_HEADERS),
    }
}

fn in_kernel_title(header: &str, missing: String) -> String {
    let start = header.split('/').next().unwrap_or_default();
    match start {
        "cub" | "thrust" => format!("<{header}> cannot be used in a kernel exercise"),
        _ => missing,
    }
}

/// A library that programs here cannot use.
fn library(header: &str) -> Option<&'static str> {
    let name = header.split(['/', '.']).next().unwrap_or_default();
    Some(match name {
        "cublas" | "cublas_v2" | "cublasLt" | "cublasXt" => {
            "cuBLAS is correct CUDA that the checker does not support, because it has no source that the simulator could run: build the program with nvcc -lcublas for a GPU"
        }
        "cufft" | "cufftXt" | "cusparse" | "cusolverDn" | "cusolver_common" | "cudnn" | "npp"
        | "nppi" | "nvjpeg" | "nccl" => {
            "this library is correct CUDA that the checker does not support, because it has no source that the simulator could run: build the program with nvcc for a GPU"
        }
        "curand" => {
            "cuRAND's functions for the host are correct CUDA that the checker does not support; its device functions work: include <curand_kernel.h>"
        }
        "GL" | "GLFW" | "glut" | "freeglut" | "opencv2" | "mpi" | "omp" => {
            "this library belongs to the machine and not to CUDA: install it, or name its folder with -I"
        }
        _ => return None,
    })
}
