//! NVRTC, NVIDIA's runtime compiler: CUDA C++ text in, PTX out.
//!
//! Only a worker child calls this, because hostile source can make the compiler run for ever, fill
//! memory or abort.

use std::ffi::{CStr, CString, c_char, c_int};
use std::path::Path;
use std::ptr;

use cudarc::nvrtc::sys::nvrtcProgram;
use libloading::Library;

use super::errors::{self, Included};
use super::host_headers::HEADERS;
use super::{Message, Options, Outcome, Severity, interface, lambdas};
use crate::toolchain::Toolchain;

/// `nvrtcResult` as a number, because a later NVRTC may return values that an enum does not list.
/// <https://docs.nvidia.com/cuda/nvrtc/index.html#error-handling>
type Status = c_int;
const SUCCESS: Status = 0;
const OUT_OF_MEMORY: Status = 1;
const INVALID_OPTION: Status = 5;
const COMPILATION: Status = 6;
const BUILTIN_OPERATION_FAILURE: Status = 7;
/// Not a value of NVRTC's: the thread that called it panicked.
const NO_STATUS: Status = -1;

/// Stack of the compiling thread. The compiler recurses over its input, and the usual 2 MiB
/// overflow at some ten thousand nested parentheses. Unused pages of the stack take no memory.
const STACK_BYTES: usize = 64 << 20;
/// Limit of the PTX. It is far above that of any exercise, and stops a file that unrolls into more
/// before it fills memory.
const MAX_PTX_BYTES: usize = 64 << 20;
/// Limit of the log. NVRTC stops at 100 errors, but the learner's text that it quotes can be long.
const MAX_LOG_BYTES: usize = 4 << 20;

/// The path of the source for NVRTC; a `#line` restores the learner's. NVRTC looks for
/// `#include "neighbour.h"` beside this path, where no file can exist. (`--no-source-include` would
/// also break the includes between NVIDIA's headers.)
const SOURCE_PATH: &CStr = c"/dev/null/kernel.cu";

/// Leaves out the declarations of the CUDA runtime, of textures and of surfaces, which take a third
/// of the time of a small kernel (25 ms instead of 36 ms on an AMD EPYC). A kernel that compiles
/// without them gets the same PTX, in a few cases with some instructions in another order.
/// <https://docs.nvidia.com/cuda/nvrtc/index.html#supported-compile-options>
const MINIMAL: &CStr = c"--minimal";
/// How the names of the declarations begin.
const BEYOND_MINIMAL: [&str; 3] = ["cuda", "tex", "surf"];
/// Directives of sources that may depend on the declarations.
const DIRECTIVES: [&str; 2] = ["#include", "#if"];

/// Whether the source probably compiles with [`MINIMAL`]. Otherwise it would be compiled twice.
fn is_plain(source: &str) -> bool {
    let mut words = source.split(|c: char| !c.is_alphanumeric() && c != '_');
    !words.any(|word| BEYOND_MINIMAL.iter().any(|begin| word.starts_with(begin)))
        && !DIRECTIVES.iter().any(|directive| source.contains(directive))
}

/// Whether each error of a log is about the grammar, as in `expected a ";"`. A declaration that is
/// missing has an error of its own first, so more declarations wouldn't change such a log.
fn has_only_syntax_errors(log: &str) -> bool {
    let mut errors = log.lines().filter_map(|line| line.split_once("): error: ")).peekable();
    errors.peek().is_some() && errors.all(|(_, text)| text.starts_with("expected "))
}

/// Compiles one kernel file in this process.
///
/// `file` is the path relative to the workbook, which messages and the PTX's line table use on
/// every machine.
pub fn compile(toolchain: &Toolchain, source: &str, file: &str, options: &Options) -> Outcome {
    let nvrtc = match Nvrtc::load(toolchain.builtins.as_deref(), &toolchain.nvrtc) {
        Ok(nvrtc) => nvrtc,
        Err(why) => {
            let library = toolchain.nvrtc.display();
            return Outcome::Unavailable(format!("cannot load the CUDA compiler {library}: {why}"));
        }
    };
    let placed =
        format!("#line 1 \"{}\"\n{source}", file.replace('\\', "\\\\").replace('"', "\\\""));
    let Ok(text) = CString::new(placed) else {
        return Outcome::Stopped("the source contains a NUL byte".to_owned());
    };
    let mut flags = flags(toolchain, options);
    let headers = toolchain.include.as_deref();
    if is_plain(source) {
        let minimal: Vec<_> = flags.iter().cloned().chain([MINIMAL.to_owned()]).collect();
        let returned = nvrtc.run_in_thread(&text, &minimal);
        if returned.0 == SUCCESS || returned.0 == COMPILATION && has_only_syntax_errors(&returned.1)
        {
            return outcome(toolchain, returned, file, source);
        }
    }
    let (status, log, ptx) = nvrtc.run_in_thread(&text, &flags);
    if status != COMPILATION {
        return outcome(toolchain, (status, log, ptx), file, source);
    }
    let mut messages = rejection_messages(&log, file, source, headers);
    if !lambdas::are_all_errors(&messages, source) {
        lambdas::remove(&mut messages, source);
        return Outcome::Rejected(messages);
    }
    flags.push(lambdas::OPTION.to_owned());
    match outcome(toolchain, nvrtc.run_in_thread(&text, &flags), file, source) {
        Outcome::Compiled(module) => match lambdas::host_variable(&module.ptx, source) {
            Some(error) => Outcome::Rejected(vec![error]),
            None => Outcome::Compiled(module),
        },
        other => other,
    }
}

/// Loads the compiler from these libraries, of which NVRTC is the last, and compiles a line, so
/// that a process that is forked from this one can compile at once. The first compilation reports a
/// failure.
#[cfg(target_os = "linux")]
pub fn warm_up(libraries: &[std::path::PathBuf]) {
    let Some((nvrtc, others)) = libraries.split_last() else { return };
    let Ok(nvrtc) = Nvrtc::load(others.first().map(std::path::PathBuf::as_path), nvrtc) else {
        return;
    };
    let flags = [c"--std=c++17", c"--generate-line-info", MINIMAL].map(CString::from);
    let _ = nvrtc.run_in_thread(&CString::from(c"__global__ void warm_up() {}"), &flags);
}

/// What NVRTC has returned, as an outcome.
fn outcome(
    toolchain: &Toolchain,
    (status, log, ptx): Returned,
    file: &str,
    source: &str,
) -> Outcome {
    let headers = toolchain.include.as_deref();
    match (status, ptx) {
        (SUCCESS, Ok(ptx)) => {
            let warnings = errors::parse(&log, file, source, headers, Included::Hidden);
            interface::compiled(with_relative_file(&ptx, file), warnings)
        }
        (SUCCESS, Err(why)) => Outcome::Stopped(why),
        (COMPILATION, _) => Outcome::Rejected(rejection_messages(&log, file, source, headers)),
        (OUT_OF_MEMORY, _) => Outcome::Stopped("the compiler ran out of memory".to_owned()),
        (BUILTIN_OPERATION_FAILURE | INVALID_OPTION, _) => Outcome::Unavailable(format!(
            "the CUDA compiler {} in {} does not work: {}",
            toolchain.version,
            toolchain.place(),
            errors::first_line(&log)
        )),
        (other, _) => {
            let said = errors::first_line(&log);
            Outcome::Stopped(format!("the compiler gave up with nvrtcResult {other}: {said}"))
        }
    }
}

/// The messages of a rejected file, with at least one error among them.
fn rejection_messages(log: &str, file: &str, source: &str, headers: Option<&Path>) -> Vec<Message> {
    let mut messages = errors::parse(log, file, source, headers, Included::Hidden);
    if !messages.iter().any(|m| m.severity == Severity::Error) {
        let text = "the compiler rejected this file without saying where".to_owned();
        let severity = Severity::Error;
        messages.push(Message { file: None, severity, line: 0, column: 0, length: 1, text });
    }
    messages
}

/// <https://docs.nvidia.com/cuda/nvrtc/index.html#supported-compile-options>
fn flags(toolchain: &Toolchain, options: &Options) -> Vec<CString> {
    let mut flags = vec![
        format!("--gpu-architecture={}", options.arch),
        format!("--fmad={}", options.fmad),
        "--std=c++17".to_owned(),
        if options.debug { "--device-debug" } else { "--generate-line-info" }.to_owned(),
        // nvcc includes it before the first line of each file
        "--pre-include=math.h".to_owned(),
    ];
    for (name, value) in &options.defines {
        flags.push(format!("--define-macro={name}={value}"));
    }
    if let Some(include) = &toolchain.include {
        flags.push(format!("--include-path={}", include.display()));
        flags.push(format!("--include-path={}", include.join("cccl").display()));
    }
    for headers in &toolchain.headers {
        flags.push(format!("--include-path={}", headers.display()));
    }
    flags.into_iter().filter_map(|flag| CString::new(flag).ok()).collect()
}

/// Replaces the absolute path that NVRTC writes into `.file` with `file`, so that the PTX is the
/// same on every machine.
fn with_relative_file(ptx: &str, file: &str) -> String {
    let mut out = String::with_capacity(ptx.len());
    for line in ptx.split_inclusive('\n') {
        let path = line.strip_prefix("\t.file\t").and_then(|rest| rest.split_once('"'));
        match path {
            Some((number, rest)) if rest.trim_end().trim_end_matches('"').ends_with(file) => {
                out.push_str(&format!("\t.file\t{number}\"{file}\"\n"));
            }
            _ => out.push_str(line),
        }
    }
    out
}

fn no_ptx() -> Result<String, String> {
    Err("the compiler gave no PTX".to_owned())
}

/// The functions of one loaded library.
struct Nvrtc {
    create: unsafe extern "C" fn(
        *mut nvrtcProgram,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> Status,
    compile: unsafe extern "C" fn(nvrtcProgram, c_int, *const *const c_char) -> Status,
    destroy: unsafe extern "C" fn(*mut nvrtcProgram) -> Status,
    ptx_size: Size,
    ptx: Fill,
    log_size: Size,
    log: Fill,
}

/// The status of a compilation, its log, and the PTX or the reason why there is none.
type Returned = (Status, String, Result<String, String>);

type Size = unsafe extern "C" fn(nvrtcProgram, *mut usize) -> Status;
type Fill = unsafe extern "C" fn(nvrtcProgram, *mut c_char) -> Status;

impl Nvrtc {
    /// Opens the library of built-in functions first, because NVRTC looks for it by name and finds
    /// it when it is loaded.
    ///
    /// The handles are never closed. Opening the library again is cheap, while closing it would
    /// unload 100 MB that the next compilation needs.
    #[expect(unsafe_code, reason = "loading a shared library runs its initialisers")]
    fn load(builtins: Option<&Path>, nvrtc: &Path) -> Result<Self, libloading::Error> {
        let open = |path: &Path| {
            // SAFETY: `toolchain::search` only names files called libnvrtc; NVIDIA's initialisers
            // have no preconditions.
            let library = unsafe { Library::new(path) }?;
            Ok::<_, libloading::Error>(Box::leak(Box::new(library)))
        };
        if let Some(builtins) = builtins {
            open(builtins)?;
        }
        let library: &Library = open(nvrtc)?;
        // SAFETY: the signatures are those of nvrtc.h in CUDA 12 and 13, and only files whose names
        // carry one of these versions are chosen. The pointers stay valid because the library is
        // never closed.
        unsafe {
            Ok(Self {
                create: *library.get(b"nvrtcCreateProgram")?,
                compile: *library.get(b"nvrtcCompileProgram")?,
                destroy: *library.get(b"nvrtcDestroyProgram")?,
                ptx_size: *library.get(b"nvrtcGetPTXSize")?,
                ptx: *library.get(b"nvrtcGetPTX")?,
                log_size: *library.get(b"nvrtcGetProgramLogSize")?,
                log: *library.get(b"nvrtcGetProgramLog")?,
            })
        }
    }

    /// Compiles in a thread with a large stack.
    fn run_in_thread(&self, source: &CString, flags: &[CString]) -> Returned {
        std::thread::scope(|scope| {
            let compiler = std::thread::Builder::new().stack_size(STACK_BYTES);
            match compiler.spawn_scoped(scope, || self.run(source, SOURCE_PATH, flags)) {
                Ok(thread) => {
                    thread.join().unwrap_or_else(|_| (NO_STATUS, String::new(), no_ptx()))
                }
                // There is no memory for the thread, so the compiler gets the stack of this one.
                Err(_) => self.run(source, SOURCE_PATH, flags),
            }
        })
    }

    /// Compiles.
    #[expect(unsafe_code, reason = "NVRTC is a C interface")]
    fn run(&self, source: &CString, name: &CStr, flags: &[CString]) -> Returned {
        let mut program: nvrtcProgram = ptr::null_mut();
        let names = HEADERS.map(|(name, _)| name.as_ptr());
        let texts = HEADERS.map(|(_, text)| text.as_ptr());
        let count = HEADERS.len() as c_int;
        // SAFETY: all strings end in NUL and outlive the program; both arrays have `count` of them.
        let created = unsafe {
            (self.create)(
                &mut program,
                source.as_ptr(),
                name.as_ptr(),
                count,
                texts.as_ptr(),
                names.as_ptr(),
            )
        };
        if created != SUCCESS {
            return (created, String::new(), no_ptx());
        }
        let pointers: Vec<*const c_char> = flags.iter().map(|flag| flag.as_ptr()).collect();
        let count = c_int::try_from(pointers.len()).unwrap_or(0);
        // SAFETY: `program` was just created, and `pointers` holds `count` NUL-terminated strings.
        let status = unsafe { (self.compile)(program, count, pointers.as_ptr()) };
        let log = self.text(program, self.log_size, self.log, MAX_LOG_BYTES).unwrap_or_default();
        let ptx = match status {
            SUCCESS => self.text(program, self.ptx_size, self.ptx, MAX_PTX_BYTES),
            _ => no_ptx(),
        };
        // SAFETY: `program` is not used after this.
        unsafe { (self.destroy)(&mut program) };
        (status, log, ptx)
    }

    /// Reads one of NVRTC's texts: first its size including the final NUL, then its bytes.
    #[expect(unsafe_code, reason = "NVRTC is a C interface")]
    fn text(
        &self,
        program: nvrtcProgram,
        size: Size,
        fill: Fill,
        limit: usize,
    ) -> Result<String, String> {
        let mut bytes = 0;
        // SAFETY: `run` calls this with a program that it created and has not destroyed.
        let status = unsafe { size(program, &mut bytes) };
        if status != SUCCESS {
            return Err(format!("the compiler's result cannot be read (nvrtcResult {status})"));
        }
        if bytes > limit {
            return Err(format!(
                "the compiled code is {} MB large, and the limit is {} MB; is a loop unrolled too often?",
                bytes / 1_000_000,
                limit / 1_000_000
            ));
        }
        let mut buffer = vec![0_u8; bytes];
        // SAFETY: the buffer has exactly the size that NVRTC asked for.
        let status = unsafe { fill(program, buffer.as_mut_ptr().cast()) };
        if status != SUCCESS {
            return Err(format!("the compiler's result cannot be read (nvrtcResult {status})"));
        }
        while buffer.last() == Some(&0) {
            buffer.pop();
        }
        Ok(String::from_utf8_lossy(&buffer).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `constexpr` contains `tex`, and a third of the exercises contain `constexpr`.
    #[test]
    fn only_names_of_declarations_need_them() {
        for plain in ["constexpr int SIDE = 32;", "// the context, barracuda", "int resurfaced;"] {
            assert!(is_plain(plain), "{plain}");
        }
        for other in
            ["cudaMalloc(", "(tex2D<float>(t, x, y))", "surf2Dread", "cuda::atomic", "#if 1"]
        {
            assert!(!is_plain(other), "{other}");
        }
    }

    #[test]
    fn only_errors_of_the_grammar_need_no_declarations() {
        let semicolon = "k.cu(2): error: expected a \";\"\n      int j;\n      ^\n\n";
        assert!(has_only_syntax_errors(semicolon));
        assert!(!has_only_syntax_errors(""));
        assert!(!has_only_syntax_errors("k.cu(3): warning: expected nothing\n"));
        let unknown = "k.cu(4): error: identifier \"half2\" is undefined\n";
        assert!(!has_only_syntax_errors(&format!("{unknown}{semicolon}")));
    }

    /// The line table names the learner's file by its relative path; other files keep their names.
    #[test]
    fn file_directives_become_relative() {
        let ptx = "\t.loc\t1 2 5\n\t.file\t1 \"/home/ada/w/exercises/a.cu\"\n\t.file\t2 \"/opt/cuda/include/b.h\"\n";
        assert_eq!(
            with_relative_file(ptx, "exercises/a.cu"),
            "\t.loc\t1 2 5\n\t.file\t1 \"exercises/a.cu\"\n\t.file\t2 \"/opt/cuda/include/b.h\"\n"
        );
    }
}
