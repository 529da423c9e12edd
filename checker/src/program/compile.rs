//! nvcc: from a program's source to a shared object that needs a CUDA runtime, and what it needs of it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use object::{Object as _, ObjectSymbol as _};

use crate::toolchain::Toolchain;

/// What nvcc is asked for: host code that can be loaded and knows its lines, device code as plain PTX, no runtime.
const OPTIONS: &[&str] = &[
    "-std=c++17",
    "-lineinfo",
    "-shared",
    "-Xcompiler",
    "-fPIC,-g",
    "-cudart=none",
    "--no-compress",
    "-gencode",
    "arch=compute_75,code=compute_75",
];

/// Why there is no object.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The toolchain that was found has no nvcc.
    #[error("the CUDA compiler that was found has no nvcc, which host code needs")]
    NoNvcc,
    /// nvcc could not be started, or its output not be kept.
    #[error("nvcc could not be run: {0}")]
    Io(#[from] io::Error),
    /// The source is wrong: what the compilers said.
    #[error("{0}")]
    Refused(String),
    /// The object cannot be read.
    #[error("this is a bug in the checker: nvcc made an object that it cannot read: {0}")]
    Unreadable(#[from] object::Error),
    /// The program calls functions of the runtime that the simulator does not have.
    #[error("the simulator does not have {}", .0.join(", "))]
    Missing(Vec<String>),
}

/// A compiled program.
#[derive(Debug)]
pub struct Object {
    /// Where it is, as long as this lives.
    pub path: PathBuf,
    _folder: tempfile::TempDir,
}

/// Compiles a program, and looks whether the simulator has what it needs.
///
/// # Errors
/// Every [`Failure`].
pub fn compile(toolchain: &Toolchain, source: &Path) -> Result<Object, Failure> {
    let nvcc = toolchain.nvcc.as_ref().ok_or(Failure::NoNvcc)?;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("program.so");
    let arguments = OPTIONS.iter().map(OsStr::new);
    let output = Command::new(nvcc).args(arguments).arg(source).arg("-o").arg(&path).output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let also = String::from_utf8_lossy(&output.stdout).into_owned();
        return Err(Failure::Refused(also + &said));
    }
    let missing = missing(&fs::read(&path)?)?;
    if missing.is_empty() {
        Ok(Object { path, _folder: folder })
    } else {
        Err(Failure::Missing(missing))
    }
}

/// The functions of CUDA that an object calls and that nobody here has.
fn missing(bytes: &[u8]) -> Result<Vec<String>, object::Error> {
    let file = object::File::parse(bytes)?;
    let known = |name: &str| cudart_sim::abi::EXPORTS.iter().any(|(known, _)| *known == name);
    let cuda = |name: &str| name.starts_with("cuda") || name.starts_with("__cuda");
    let undefined = file.dynamic_symbols().filter(|s| s.is_undefined());
    let mut missing: Vec<String> = undefined
        .filter_map(|symbol| symbol.name().ok())
        .filter(|name| cuda(name) && !known(name))
        .map(ToOwned::to_owned)
        .collect();
    missing.sort();
    Ok(missing)
}
