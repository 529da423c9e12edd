//! Sets `RUNNER_BUILD`: a number for the sources of this crate and of the simulators, so that the
//! checker can tell whether `checker-worker` is of the same sources.

use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The crates whose types and behaviour both programs share.
const CRATES: [&str; 3] = ["runner", "cudart-sim", "ptxsim"];

fn main() -> io::Result<()> {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or(io::ErrorKind::NotFound)?);
    let mut hasher = DefaultHasher::new();
    for name in CRATES {
        let source = here.join("..").join(name).join("src");
        println!("cargo::rerun-if-changed={}", source.display());
        add(&source, &mut hasher)?;
    }
    println!("cargo::rustc-env=RUNNER_BUILD={:016x}", hasher.finish());
    Ok(())
}

/// Adds the files of a folder, in the order of their names.
fn add(folder: &Path, hasher: &mut DefaultHasher) -> io::Result<()> {
    let entries: io::Result<Vec<PathBuf>> =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect();
    let mut entries = entries?;
    entries.sort();
    for path in entries {
        if path.is_dir() {
            add(&path, hasher)?;
        } else {
            hasher.write(path.file_name().unwrap_or_default().as_encoded_bytes());
            hasher.write(&fs::read(&path)?);
        }
    }
    Ok(())
}
