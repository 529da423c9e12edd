//! NVRTC, NVIDIA's runtime compiler: CUDA C++ text in, PTX out.
//!
//! Only a worker child calls this: hostile source can make the compiler run for ever, fill memory or abort.
//!
//! The library is opened by its own path, and its functions are taken from that handle. cudarc's bindings describe the
//! same interface, but open `libnvrtc.so` by name, which on a machine with an older CUDA is that one, and panic where
//! there is none.

use std::ffi::{CStr, CString, c_char, c_int};
use std::path::Path;
use std::ptr;

use cudarc::nvrtc::sys::nvrtcProgram;
use libloading::Library;

use super::errors;
use super::{Message, Module, Options, Outcome, Severity};
use crate::toolchain::Toolchain;

/// `nvrtcResult`, as a number: a later NVRTC may return values that no enum lists.
/// <https://docs.nvidia.com/cuda/nvrtc/index.html#error-handling>
type Status = c_int;
const SUCCESS: Status = 0;
const OUT_OF_MEMORY: Status = 1;
const INVALID_OPTION: Status = 5;
const COMPILATION: Status = 6;
const BUILTIN_OPERATION_FAILURE: Status = 7;
/// None of NVRTC's: the thread that called it ended without a result.
const LOST: Status = -1;

/// The compiler recurses over what it reads: a thread's usual 2 MiB end at a few ten thousand nested
/// parentheses. Only what is used of it is real memory.
const STACK: usize = 64 << 20;
/// Far above any exercise's PTX; a file that unrolls into more is refused before it fills memory.
const MOST_PTX: usize = 64 << 20;
/// NVRTC stops at 100 errors, but a learner's own text can be long.
const MOST_LOG: usize = 4 << 20;

/// What NVRTC takes for the source's own path; a `#line` gives the learner's. An exercise is one file, and `#include
/// "neighbour.h"` is looked for beside this path, where nothing can be. (`--no-source-include` would do the same to
/// the includes between NVIDIA's headers.)
const NOWHERE: &CStr = c"/dev/null/kernel.cu";

/// Compiles one kernel file in this process.
///
/// `file` is the workbook-relative path: messages, and the PTX's line table, name it so on every machine.
pub fn compile(toolchain: &Toolchain, source: &str, file: &str, options: &Options) -> Outcome {
    let nvrtc = match Nvrtc::load(toolchain) {
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
    let flags = flags(toolchain, options);
    let (status, log, ptx) = std::thread::scope(|scope| {
        let compiler = std::thread::Builder::new().stack_size(STACK);
        match compiler.spawn_scoped(scope, || nvrtc.run(&text, NOWHERE, &flags)) {
            Ok(thread) => thread.join().unwrap_or_else(|_| (LOST, String::new(), no_ptx())),
            Err(_) => nvrtc.run(&text, NOWHERE, &flags), // no room for a thread: as it is
        }
    });

    let headers = toolchain.include.as_deref();
    match (status, ptx) {
        (SUCCESS, Ok(ptx)) => {
            let warnings = errors::parse(&log, file, source, headers);
            Outcome::Compiled(Module { ptx: relative_files(&ptx, file), warnings })
        }
        (SUCCESS, Err(why)) => Outcome::Stopped(why),
        (COMPILATION, _) => Outcome::Rejected(rejected(&log, file, source, headers)),
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

/// The errors first of all; a rejection without any still says that it is one.
fn rejected(log: &str, file: &str, source: &str, headers: Option<&Path>) -> Vec<Message> {
    let mut messages = errors::parse(log, file, source, headers);
    if !messages.iter().any(|m| m.severity == Severity::Error) {
        let text = "the compiler rejected this file without saying where".to_owned();
        messages.push(Message { severity: Severity::Error, line: 0, column: 0, length: 1, text });
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
        // A skeleton declares what its TODOs will use: "declared but never referenced" is no news.
        "--diag-suppress=177".to_owned(),
    ];
    for (name, value) in &options.defines {
        flags.push(format!("--define-macro={name}={value}"));
    }
    if let Some(include) = &toolchain.include {
        flags.push(format!("--include-path={}", include.display()));
        flags.push(format!("--include-path={}", include.join("cccl").display()));
    }
    flags.into_iter().filter_map(|flag| CString::new(flag).ok()).collect()
}

/// NVRTC writes the absolute path into `.file`; the relative one keeps PTX the same on every machine.
fn relative_files(ptx: &str, file: &str) -> String {
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

type Size = unsafe extern "C" fn(nvrtcProgram, *mut usize) -> Status;
type Fill = unsafe extern "C" fn(nvrtcProgram, *mut c_char) -> Status;

impl Nvrtc {
    /// Opens the library, its companion first: NVRTC looks for that by name only, and finds what is already loaded.
    ///
    /// The handles are never closed. Opening again is cheap and gives the same library, while closing would unload
    /// 100 MB that the next save needs.
    #[expect(unsafe_code, reason = "loading a shared library runs its initialisers")]
    fn load(toolchain: &Toolchain) -> Result<Self, libloading::Error> {
        let open = |path: &Path| {
            // SAFETY: `toolchain::search` only names files called libnvrtc; NVIDIA's initialisers have no preconditions.
            let library = unsafe { Library::new(path) }?;
            Ok::<_, libloading::Error>(Box::leak(Box::new(library)))
        };
        if let Some(builtins) = &toolchain.builtins {
            open(builtins)?;
        }
        let library: &Library = open(&toolchain.nvrtc)?;
        // SAFETY: the signatures are those of nvrtc.h in CUDA 13, and the file's name carries that major version. The
        // pointers stay valid because the library is never closed.
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

    /// Compiles: the status, the log, and the PTX (or why there is none).
    #[expect(unsafe_code, reason = "NVRTC is a C interface")]
    fn run(
        &self,
        source: &CString,
        name: &CStr,
        flags: &[CString],
    ) -> (Status, String, Result<String, String>) {
        let mut program: nvrtcProgram = ptr::null_mut();
        // SAFETY: both strings end in NUL and outlive the program; no headers are given, so their arrays may be null.
        let created = unsafe {
            (self.create)(&mut program, source.as_ptr(), name.as_ptr(), 0, ptr::null(), ptr::null())
        };
        if created != SUCCESS {
            return (created, String::new(), no_ptx());
        }
        let pointers: Vec<*const c_char> = flags.iter().map(|flag| flag.as_ptr()).collect();
        let count = c_int::try_from(pointers.len()).unwrap_or(0);
        // SAFETY: `program` was just created, and `pointers` holds `count` NUL-terminated strings.
        let status = unsafe { (self.compile)(program, count, pointers.as_ptr()) };
        let log = self.text(program, self.log_size, self.log, MOST_LOG).unwrap_or_default();
        let ptx = match status {
            SUCCESS => self.text(program, self.ptx_size, self.ptx, MOST_PTX),
            _ => no_ptx(),
        };
        // SAFETY: `program` is not used after this.
        unsafe { (self.destroy)(&mut program) };
        (status, log, ptx)
    }

    /// One of NVRTC's texts: first its size with the final NUL, then its bytes.
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
                "the compiled code is {} MB large, and {} MB are the limit; is a loop unrolled too often?",
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

    /// The line table names the learner's file as the learner knows it; other files keep their names.
    #[test]
    fn file_directives_become_relative() {
        let ptx = "\t.loc\t1 2 5\n\t.file\t1 \"/home/ada/w/exercises/a.cu\"\n\t.file\t2 \"/opt/cuda/include/b.h\"\n";
        assert_eq!(
            relative_files(ptx, "exercises/a.cu"),
            "\t.loc\t1 2 5\n\t.file\t1 \"exercises/a.cu\"\n\t.file\t2 \"/opt/cuda/include/b.h\"\n"
        );
    }
}
