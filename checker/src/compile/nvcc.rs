//! nvcc: from a program's source to a shared object.
//!
//! One run compiles, another links. The device code is plain PTX, so the simulator can read it and any driver compile it;
//! the host code has lines for a debugger, by which mistakes get theirs. Without a CUDA runtime an object is loaded by a
//! process that exports one, and with NVIDIA's inside it runs on a GPU.
//!
//! Only a worker child calls this, as it calls NVRTC.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::{fs, io};

use object::{Object as _, ObjectSymbol as _};

use super::errors;
use super::{Message, Outcome, Program, ProgramOptions, Severity, Target};
use crate::toolchain::Toolchain;

/// The virtual architecture of the device code: every GPU since Turing runs it.
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
    // messages name the file as it is passed
    let name = Path::new(file).file_name().unwrap_or("program.cu".as_ref());
    fs::write(folder.path().join(name), source)?;
    let work = |arguments: Vec<OsString>| {
        Command::new(nvcc)
            .args(arguments)
            .current_dir(folder.path())
            .env("TMPDIR", folder.path())
            .stdin(Stdio::null())
            .output()
    };
    let said = |output: &Output| {
        let log = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
        let include = toolchain.include.as_deref();
        (errors::parse(&log, &name.to_string_lossy(), source, include), log.into_owned())
    };
    let output = work(compilation(options, name))?;
    let (mut messages, log) = said(&output);
    if !output.status.success() {
        return Ok(refused(messages, &log));
    }
    // twice for both: that takes a tenth of what the compilation does
    let mut objects = vec![];
    for target in options.target.links() {
        let output = work(link(nvcc, *target))?;
        let (more, log) = said(&output);
        messages.extend(more);
        if !output.status.success() {
            return Ok(refused(messages, &log));
        }
        objects.push(fs::read(folder.path().join(OBJECT))?);
    }
    let mut objects = objects.into_iter();
    let (object, gpu) = (objects.next().unwrap_or_default(), objects.next());
    let missing = match options.target {
        Target::Simulator | Target::Both => missing(&object),
        Target::Gpu | Target::TimedGpu => Ok(vec![]),
    };
    Ok(match missing {
        Ok(missing) => Outcome::Compiled(Program { object, gpu, missing, warnings: messages }),
        Err(error) => Outcome::Stopped(format!("nvcc made an object that cannot be read: {error}")),
    })
}

impl Target {
    /// What is linked for it.
    const fn links(self) -> &'static [Self] {
        match self {
            Self::Simulator => &[Self::Simulator],
            Self::Gpu => &[Self::Gpu],
            Self::TimedGpu => &[Self::TimedGpu],
            Self::Both => &[Self::Simulator, Self::Gpu],
        }
    }
}

/// What both steps have to agree on.
const COMMON: [&str; 5] = ["-Xcompiler", "-fPIC,-g", "--no-compress", "-gencode", ARCHITECTURE];
/// What the first leaves for the second.
const RELOCATABLE: &str = "program.o";
/// What the second makes.
const OBJECT: &str = "program.so";

fn compilation(options: &ProgramOptions, source: &OsStr) -> Vec<OsString> {
    let mut all: Vec<OsString> = COMMON.map(OsString::from).into();
    let fmad = if options.fmad { "--fmad=true" } else { "--fmad=false" };
    all.extend(["-std=c++17", "-lineinfo", fmad, "-c", "-o", RELOCATABLE].map(OsString::from));
    // for `#include "..."` only: what stands in <> is the system's, and so the same tomorrow
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

fn link(nvcc: &Path, target: Target) -> Vec<OsString> {
    let mut all: Vec<OsString> = COMMON.map(OsString::from).into();
    all.extend(["-shared", "-o", OBJECT, RELOCATABLE].map(OsString::from));
    if target == Target::Simulator {
        all.push("-cudart=none".into());
        return all;
    }
    all.push("-cudart=static".into());
    if target == Target::TimedGpu {
        all.extend(["-Xlinker", "--wrap=__cudaLaunchKernel"].map(OsString::from));
    }
    // where the wheels have it, which nvcc itself does not know
    if let Some(root) = nvcc.parent().and_then(Path::parent) {
        all.extend(["-L".into(), root.join("lib").into_os_string()]);
    }
    all
}

/// Why there is no object: the learner's code, as a rule; else the machine.
fn refused(messages: Vec<Message>, log: &str) -> Outcome<Program> {
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

/// The functions of CUDA that an object calls and that the simulator does not have.
fn missing(bytes: &[u8]) -> Result<Vec<String>, object::Error> {
    let file = object::File::parse(bytes)?;
    let known = known();
    let cuda = |name: &str| name.starts_with("cuda") || name.starts_with("__cuda");
    let undefined = file.dynamic_symbols().filter(|s| s.is_undefined());
    let mut missing: Vec<String> = undefined
        .filter_map(|symbol| symbol.name().ok())
        .filter(|name| cuda(name) && !known.contains(name))
        .map(ToOwned::to_owned)
        .collect();
    missing.sort();
    Ok(missing)
}

/// The names of the runtime's functions that this process exports.
#[cfg(target_os = "linux")]
fn known() -> Vec<&'static str> {
    cudart_sim::abi::exports().map(|(name, _)| name).collect()
}

#[cfg(not(target_os = "linux"))]
fn known() -> Vec<&'static str> {
    vec![]
}
