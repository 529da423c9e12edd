//! nvcc: from a program's source to a shared object.
//!
//! One run compiles, another links. The device code is plain PTX, which the simulator can read and
//! any driver can compile. The host code has line tables for a debugger, from which faults get
//! their lines. For the simulator the object is linked without a CUDA runtime, because the process
//! that loads it exports one; for a GPU it is linked with NVIDIA's.
//!
//! Only a worker child calls this.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::{fs, io};

use object::{Object as _, ObjectSymbol as _};

use super::errors;
use super::{Message, Outcome, Program, ProgramOptions, Severity, Target};
use crate::toolchain::Toolchain;

/// The virtual architecture of the device code, which runs on every GPU since Turing.
const ARCHITECTURE: &str = "arch=compute_75,code=compute_75";

/// Compiles a program.
pub fn compile(
    toolchain: &Toolchain,
    source: &str,
    file: &str,
    options: &ProgramOptions,
) -> Outcome<Program> {
    let Some(nvcc) = &toolchain.nvcc else {
        return Outcome::Unavailable(
            "the CUDA compiler that was found has no nvcc, which host code needs: `checker setup` installs one"
                .into(),
        );
    };
    match run(nvcc, toolchain, source, file, options) {
        Ok(outcome) => outcome,
        Err(error) => Outcome::Unavailable(format!("nvcc could not be run: {error}")),
    }
}

fn run(
    nvcc: &Path,
    toolchain: &Toolchain,
    source: &str,
    file: &str,
    options: &ProgramOptions,
) -> io::Result<Outcome<Program>> {
    let folder = tempfile::tempdir()?;
    // Messages name the file by this argument.
    let name = Path::new(file).file_name().unwrap_or("program.cu".as_ref());
    fs::write(folder.path().join(name), source)?;
    let run_nvcc = |arguments: Vec<OsString>| {
        Command::new(nvcc)
            .args(arguments)
            .current_dir(folder.path())
            .env("TMPDIR", folder.path())
            .stdin(Stdio::null())
            .output()
    };
    let read_log = |output: &Output| {
        let log = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
        let include = toolchain.include.as_deref();
        (errors::parse(&log, &name.to_string_lossy(), source, include), log.into_owned())
    };
    let output = run_nvcc(compile_arguments(options, name))?;
    let (mut messages, log) = read_log(&output);
    if !output.status.success() {
        return Ok(failure(messages, &log));
    }
    // A second link takes a tenth of the time of the compilation.
    let mut objects = vec![];
    for target in options.target.links() {
        let output = run_nvcc(link_arguments(nvcc, *target))?;
        let (more, log) = read_log(&output);
        messages.extend(more);
        if !output.status.success() {
            return Ok(failure(messages, &log));
        }
        objects.push(fs::read(folder.path().join(OBJECT))?);
    }
    let mut objects = objects.into_iter();
    let (object, gpu) = (objects.next().unwrap_or_default(), objects.next());
    let missing = match options.target {
        Target::Simulator | Target::Both => missing_functions(&object),
        Target::Gpu | Target::TimedGpu => Ok(vec![]),
    };
    Ok(match missing {
        Ok(missing) => Outcome::Compiled(Program { object, gpu, missing, warnings: messages }),
        Err(error) => {
            Outcome::Stopped(format!("nvcc wrote an object that cannot be read: {error}"))
        }
    })
}

impl Target {
    /// The targets of its objects.
    const fn links(self) -> &'static [Self] {
        match self {
            Self::Simulator => &[Self::Simulator],
            Self::Gpu => &[Self::Gpu],
            Self::TimedGpu => &[Self::TimedGpu],
            Self::Both => &[Self::Simulator, Self::Gpu],
        }
    }
}

/// Arguments of both steps.
const COMMON_ARGUMENTS: [&str; 5] =
    ["-Xcompiler", "-fPIC,-g", "--no-compress", "-gencode", ARCHITECTURE];
/// The output of the compilation.
const RELOCATABLE: &str = "program.o";
/// The output of the link.
const OBJECT: &str = "program.so";

fn compile_arguments(options: &ProgramOptions, source: &OsStr) -> Vec<OsString> {
    let mut all: Vec<OsString> = COMMON_ARGUMENTS.map(OsString::from).into();
    let fmad = if options.fmad { "--fmad=true" } else { "--fmad=false" };
    all.extend(["-std=c++17", "-lineinfo", fmad, "-c", "-o", RELOCATABLE].map(OsString::from));
    // `-iquote` is for `#include "..."` only, because files in <> belong to the system and do not
    // change.
    if let Some(folder) = &options.folder {
        for part in
            ["-Xcompiler".as_ref(), "-iquote".as_ref(), "-Xcompiler".as_ref(), folder.as_os_str()]
        {
            all.push(part.into());
        }
    }
    all.push(source.into());
    all
}

fn link_arguments(nvcc: &Path, target: Target) -> Vec<OsString> {
    let mut all: Vec<OsString> = COMMON_ARGUMENTS.map(OsString::from).into();
    all.extend(["-shared", "-o", OBJECT, RELOCATABLE].map(OsString::from));
    if target == Target::Simulator {
        all.push("-cudart=none".into());
        return all;
    }
    all.push("-cudart=static".into());
    if target == Target::TimedGpu {
        all.extend(["-Xlinker", "--wrap=__cudaLaunchKernel"].map(OsString::from));
    }
    // nvcc does not look for the static runtime in this folder, where the wheels have it.
    if let Some(root) = nvcc.parent().and_then(Path::parent) {
        all.extend(["-L".into(), root.join("lib").into_os_string()]);
    }
    all
}

/// Why there is no object: usually errors in the learner's code, else a problem of the machine.
fn failure(messages: Vec<Message>, log: &str) -> Outcome<Program> {
    if messages.iter().any(|message| message.severity == Severity::Error && message.line > 0) {
        return Outcome::Rejected(messages);
    }
    let no_compiler = ["host compiler properties", "g++: No such file", "gcc: No such file"];
    if no_compiler.iter().any(|text| log.contains(text)) || log.contains("unsupported GNU version")
    {
        let why = if log.contains("unsupported") {
            "the C++ compiler of this machine is one that nvcc does not know: install an older g++"
        } else {
            "there is no C++ compiler, which host code needs: install g++ (`sudo apt install g++`)"
        };
        return Outcome::Unavailable(why.into());
    }
    if messages.iter().any(|message| message.severity == Severity::Error) {
        return Outcome::Rejected(messages);
    }
    Outcome::Stopped(format!("nvcc gave up: {}", errors::first_line(log)))
}

/// The functions of CUDA that an object calls and that the simulator does not have, in order.
fn missing_functions(bytes: &[u8]) -> Result<Vec<String>, object::Error> {
    let file = object::File::parse(bytes)?;
    let exported = exported_functions();
    let cuda = |name: &str| name.starts_with("cuda") || name.starts_with("__cuda");
    let undefined = file.dynamic_symbols().filter(|s| s.is_undefined());
    let mut missing: Vec<String> = undefined
        .filter_map(|symbol| symbol.name().ok())
        .filter(|name| cuda(name) && !exported.contains(name))
        .map(ToOwned::to_owned)
        .collect();
    missing.sort();
    Ok(missing)
}

/// The names of the runtime's functions that this process exports.
#[cfg(target_os = "linux")]
pub(super) fn exported_functions() -> Vec<&'static str> {
    cudart_sim::abi::exports().map(|(name, _)| name).collect()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn exported_functions() -> Vec<&'static str> {
    vec![]
}
