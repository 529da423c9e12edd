//! Explains a program that could not be linked, or that ended its process instead of returning.

use super::Draft;
use super::scan::{Source, span};
use crate::report::Span;

/// Calls that end a process.
const ENDS: [&str; 4] = ["exit", "_exit", "quick_exit", "abort"];

/// A function that is declared and called, but never defined.
pub fn undefined(symbol: &str, source: &Source<'_>) -> Draft {
    let called = plain(symbol);
    let mangled = symbol.starts_with("_Z");
    if let Some(built_in) = symbol.strip_prefix("__device_builtin_variable_") {
        return Draft::new(format!("the host uses `{built_in}`, which only kernels have"))
            .mark(first(built_in, source, "used here"))
            .note("every thread of a kernel has its own value, and the host runs outside of all of them");
    }
    if let Some(called) = driver_function(symbol) {
        let instead = match runtime_function(called) {
            Some(runtime) => format!("here, use {runtime} of the CUDA runtime instead"),
            None => "here, use the CUDA runtime (cudaMalloc, cudaMemcpy, kernel<<<grid, block>>>)"
                .into(),
        };
        return Draft::new(format!(
            "the program calls `{called}` of the CUDA driver API, which the checker does not support"
        ))
        .mark(first(called, source, "called here"))
        .note("this is correct CUDA: `nvcc -lcuda` builds it for a GPU")
        .note(instead);
    }
    if let Some(library) = library(symbol) {
        return Draft::new(format!("the program calls `{called}` of {library}, which the checker does not support"))
            .mark(first(&called, source, "called here"))
            .note("this is correct CUDA, but the library's kernels have no source that the simulator could run")
            .note("build the program with nvcc and run it on a GPU, or write the kernel yourself");
    }
    Draft::new(format!("`{called}` is called, but nothing defines it"))
        .mark(first(&called, source, "declared or called here"))
        .note(if mangled {
            "one of the files that are compiled must define every function that they call"
        } else {
            "no linked library has it, because exercises use only the C++ library and the CUDA runtime"
        })
        .think("is its name spelled the same where it is declared and where it is defined?")
}

/// The function of the driver API behind a symbol, as the source calls it: `cuMemAlloc` of
/// `cuMemAlloc_v2`.
fn driver_function(symbol: &str) -> Option<&str> {
    let rest = symbol.strip_prefix("cu")?;
    let versioned = symbol
        .rsplit_once("_v")
        .filter(|(_, version)| !version.is_empty() && version.chars().all(|c| c.is_ascii_digit()));
    rest.starts_with(|c: char| c.is_ascii_uppercase())
        .then(|| versioned.map_or(symbol, |(name, _)| name))
}

/// What does the same in the runtime.
fn runtime_function(driver: &str) -> Option<&'static str> {
    const SAME: [(&str, &str); 10] = [
        ("cuMemAlloc", "cudaMalloc"),
        ("cuMemFree", "cudaFree"),
        ("cuMemcpy", "cudaMemcpy"),
        ("cuMemset", "cudaMemset"),
        ("cuLaunchKernel", "kernel<<<grid, block>>>"),
        ("cuStream", "the functions cudaStream..."),
        ("cuEvent", "the functions cudaEvent..."),
        ("cuDeviceGetAttribute", "cudaDeviceGetAttribute"),
        ("cuDeviceGetCount", "cudaGetDeviceCount"),
        ("cuCtxSynchronize", "cudaDeviceSynchronize"),
    ];
    SAME.iter().find(|(name, _)| driver.starts_with(name)).map(|(_, runtime)| *runtime)
}

/// The library of NVIDIA's that a function belongs to.
fn library(symbol: &str) -> Option<&'static str> {
    const LIBRARIES: [(&str, &str); 6] = [
        ("cublas", "cuBLAS"),
        ("cufft", "cuFFT"),
        ("curand", "cuRAND's host interface"),
        ("cusparse", "cuSPARSE"),
        ("cusolver", "cuSOLVER"),
        ("nvrtc", "NVRTC"),
    ];
    LIBRARIES.iter().find(|(start, _)| symbol.starts_with(start)).map(|(_, name)| *name)
}

/// `exit` was called.
pub fn exited(code: i32, source: &Source<'_>) -> Draft {
    let call = ENDS.iter().find_map(|name| first(name, source, "this ends the whole process"));
    Draft::new(format!("the program ended its own process with exit code {code}"))
        .mark(call)
        .note("the checker called your function and expected it to return")
        .note("the output arrays are compared only after the function returns")
        .think("how can the function report an error and still return?")
}

/// Marks the first place of a word in the source.
fn first(word: &str, source: &Source<'_>, label: &str) -> Option<Span> {
    let word = word.split('(').next()?;
    let (line, column) = source.occurrences(word).into_iter().next()?;
    Some(span(line, column, word.chars().count() as u32, true, label))
}

/// A mangled name as the source has it.
pub fn plain(symbol: &str) -> String {
    let shown = crate::abi::demangle(symbol);
    shown.strip_suffix("(...)").map_or(shown.clone(), ToOwned::to_owned)
}

#[cfg(test)]
mod tests {
    use super::{driver_function, runtime_function};

    #[test]
    fn functions_of_the_driver_are_known_by_their_names() {
        assert_eq!(driver_function("cuMemAlloc_v2"), Some("cuMemAlloc"));
        assert_eq!(driver_function("cuInit"), Some("cuInit"));
        assert_eq!(driver_function("cudaMalloc"), None);
        assert_eq!(driver_function("cublasCreate_v2"), None);
        assert_eq!(driver_function("custom"), None);
        assert_eq!(runtime_function("cuMemcpyHtoD"), Some("cudaMemcpy"));
        assert_eq!(runtime_function("cuInit"), None);
    }
}
