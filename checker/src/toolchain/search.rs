//! The search for a CUDA 13 compiler, by file names alone.

use std::fs;
use std::path::{Path, PathBuf};

use super::environment::Environment;
use super::pins;
use super::{Origin, Toolchain};

/// NVRTC's file name carries the major version on every platform, so a CUDA 12 toolkit is passed over.
const NVRTC: &str = if cfg!(windows) { "nvrtc64_130_0.dll" } else { "libnvrtc.so.13" };
const BUILTINS: &str =
    if cfg!(windows) { "nvrtc-builtins64_13" } else { "libnvrtc-builtins.so.13." };
const NVCC: &str = if cfg!(windows) { "nvcc.exe" } else { "nvcc" };

/// Where toolkits keep their libraries: installers, conda, distributions, wheels.
const LIBRARIES: &[&str] = if cfg!(windows) {
    &["bin/x86_64", "bin/x64", "bin"]
} else if cfg!(target_arch = "aarch64") {
    &["lib64", "lib", "targets/sbsa-linux/lib", "targets/aarch64-linux/lib"]
} else {
    &["lib64", "lib", "targets/x86_64-linux/lib"]
};

/// Where toolkits keep CUDA's headers, the folder that holds nothing else first.
const HEADERS: &[&str] = if cfg!(target_arch = "aarch64") {
    &["targets/sbsa-linux/include", "targets/aarch64-linux/include", "include"]
} else {
    &["targets/x86_64-linux/include", "include"]
};

/// The first compiler in the order of [`Origin`].
pub(super) fn find(environment: &Environment) -> Option<Toolchain> {
    let variables = environment
        .variables
        .iter()
        .map(|(name, root)| (root.clone(), Origin::Variable(name.clone())));
    let usual = environment.usual.iter().map(|root| (root.clone(), Origin::Usual));
    let on_path = around_nvcc(&environment.path).into_iter().map(|root| (root, Origin::Nvcc));
    variables
        .chain(usual)
        .chain(on_path)
        .find_map(|(root, origin)| toolkit(&root, origin))
        .or_else(|| loader(&environment.libraries))
        .or_else(|| cached(&environment.cache))
}

/// The compiler that `checker setup` installed, if it did.
pub(super) fn cached(cache: &Path) -> Option<Toolchain> {
    installed(&cache.join(pins::folder()))
}

/// The compiler in a folder that pip unpacked the wheels into.
pub(super) fn installed(folder: &Path) -> Option<Toolchain> {
    let found = toolkit(&folder.join(pins::ROOT), Origin::Cache)?;
    Some(Toolchain { version: pins::VERSION.to_owned(), ..found })
}

/// The toolkit under `root`, when it can compile: NVRTC and its companion side by side.
fn toolkit(root: &Path, origin: Origin) -> Option<Toolchain> {
    let (nvrtc, builtins) = LIBRARIES.iter().find_map(|folder| {
        let folder = root.join(folder);
        let nvrtc = file(folder.join(NVRTC))?;
        Some((nvrtc, starting_with(&folder, BUILTINS)?))
    })?;
    // /usr/include is everybody's: its host headers must stay out of device code.
    let own_headers = root != Path::new("/usr") && root != Path::new("/");
    let include = own_headers
        .then(|| HEADERS.iter().map(|h| root.join(h)).find(|h| h.join("cuda_fp16.h").is_file()))
        .flatten();
    let nvcc = file(root.join("bin").join(NVCC));
    let version = version(Some(root), &nvrtc, Some(&builtins));
    Some(Toolchain { nvrtc, builtins: Some(builtins), include, nvcc, version, origin })
}

/// NVRTC alone, in a folder of the loader.
fn loader(folders: &[PathBuf]) -> Option<Toolchain> {
    let nvrtc = folders.iter().find_map(|folder| file(folder.join(NVRTC)))?;
    let beside = nvrtc.parent().and_then(|folder| starting_with(folder, BUILTINS));
    let builtins =
        beside.or_else(|| folders.iter().find_map(|folder| starting_with(folder, BUILTINS)));
    let version = version(None, &nvrtc, builtins.as_deref());
    Some(Toolchain { nvrtc, builtins, include: None, nvcc: None, version, origin: Origin::Loader })
}

/// The roots of the toolkits whose `nvcc` is on the PATH: as spelled, and behind links.
fn around_nvcc(path: &[PathBuf]) -> Vec<PathBuf> {
    let root = |nvcc: &Path| nvcc.parent().and_then(Path::parent).map(Path::to_path_buf);
    let mut roots = Vec::new();
    for nvcc in path.iter().filter_map(|folder| file(folder.join(NVCC))) {
        let target = nvcc.canonicalize().ok();
        roots.extend(root(&nvcc));
        roots.extend(target.as_deref().and_then(root));
    }
    roots
}

/// The version as precisely as files say, without loading anything: the toolkit's `version.json`, the library's full
/// name behind its link (`libnvrtc.so.13.0.88`), its companion's (`...so.13.0`), or the major version.
fn version(root: Option<&Path>, nvrtc: &Path, builtins: Option<&Path>) -> String {
    let listed = || {
        let text = fs::read_to_string(root?.join("version.json")).ok()?;
        let json: serde_json::Value = serde_json::from_str(&text).ok()?;
        Some(json.get("cuda_nvrtc")?.get("version")?.as_str()?.to_owned())
    };
    let suffix = |path: &Path| {
        let name = path.canonicalize().ok()?.file_name()?.to_str()?.to_owned();
        let (_, version) = name.split_once(".so.")?;
        version.contains('.').then(|| version.to_owned())
    };
    listed()
        .or_else(|| suffix(nvrtc))
        .or_else(|| builtins.and_then(suffix))
        .filter(|v| v.starts_with("13") && v.chars().all(|c| c.is_ascii_digit() || c == '.'))
        .unwrap_or_else(|| "13".to_owned())
}

fn file(path: PathBuf) -> Option<PathBuf> {
    path.is_file().then_some(path)
}

/// The first file of a folder, by name, that starts with `prefix`.
fn starting_with(folder: &Path, prefix: &str) -> Option<PathBuf> {
    let named = |path: &PathBuf| {
        path.file_name().and_then(|n| n.to_str()).is_some_and(|n| n.starts_with(prefix))
            && path.is_file()
    };
    fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).filter(named).min()
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
