//! Searches for a CUDA 13 compiler by file names.

use std::fs;
use std::path::{Path, PathBuf};

use super::environment::Environment;
use super::{Origin, Toolchain};
use super::{extras, pins};

/// NVRTC's file name contains the major version on every platform, so a CUDA 12 toolkit is not
/// found.
const NVRTC: &str = if cfg!(windows) { "nvrtc64_130_0.dll" } else { "libnvrtc.so.13" };
const BUILTINS: &str =
    if cfg!(windows) { "nvrtc-builtins64_13" } else { "libnvrtc-builtins.so.13." };
const NVCC: &str = if cfg!(windows) { "nvcc.exe" } else { "nvcc" };

/// The folders of libraries in toolkits of installers, conda, distributions and wheels.
const LIBRARIES: &[&str] = if cfg!(windows) {
    &["bin/x86_64", "bin/x64", "bin"]
} else if cfg!(target_arch = "aarch64") {
    &["lib64", "lib", "targets/sbsa-linux/lib", "targets/aarch64-linux/lib"]
} else {
    &["lib64", "lib", "targets/x86_64-linux/lib"]
};

/// The folders of CUDA's headers in toolkits; first the one that contains no other headers.
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
    let on_path = roots_of_nvcc(&environment.path).into_iter().map(|root| (root, Origin::Nvcc));
    variables
        .chain(usual)
        .chain(on_path)
        .find_map(|(root, origin)| toolkit_in(&root, origin))
        .or_else(|| loader_library(&environment.libraries))
        .or_else(|| cached(&environment.cache))
        .map(|found| {
            let headers = extras::installed(&environment.cache, found.include.as_deref());
            Toolchain { headers, ..found }
        })
}

/// The compiler that `checker setup` has installed.
pub(super) fn cached(cache: &Path) -> Option<Toolchain> {
    installed(&cache.join(pins::folder()))
}

/// The compiler in a folder of unpacked wheels.
pub(super) fn installed(folder: &Path) -> Option<Toolchain> {
    let found = toolkit_in(&folder.join(pins::ROOT), Origin::Cache)?;
    Some(Toolchain { version: pins::VERSION.to_owned(), ..found })
}

/// The toolkit under `root`, if it has NVRTC and the library of built-in functions.
fn toolkit_in(root: &Path, origin: Origin) -> Option<Toolchain> {
    let (nvrtc, builtins) = LIBRARIES.iter().find_map(|folder| {
        let folder = root.join(folder);
        let nvrtc = existing_file(folder.join(NVRTC))?;
        Some((nvrtc, file_with_prefix(&folder, BUILTINS)?))
    })?;
    // /usr/include also contains host headers, which must not get into device code.
    let own_headers = root != Path::new("/usr") && root != Path::new("/");
    let include = own_headers
        .then(|| HEADERS.iter().map(|h| root.join(h)).find(|h| h.join("cuda_fp16.h").is_file()))
        .flatten();
    let nvcc = existing_file(root.join("bin").join(NVCC));
    let version = find_version(Some(root), &nvrtc, Some(&builtins));
    let headers = vec![];
    Some(Toolchain { nvrtc, builtins: Some(builtins), include, headers, nvcc, version, origin })
}

/// NVRTC without a toolkit, in a folder of the loader.
fn loader_library(folders: &[PathBuf]) -> Option<Toolchain> {
    let nvrtc = folders.iter().find_map(|folder| existing_file(folder.join(NVRTC)))?;
    let beside = nvrtc.parent().and_then(|folder| file_with_prefix(folder, BUILTINS));
    let builtins =
        beside.or_else(|| folders.iter().find_map(|folder| file_with_prefix(folder, BUILTINS)));
    let version = find_version(None, &nvrtc, builtins.as_deref());
    let (include, headers, nvcc, origin) = (None, vec![], None, Origin::Loader);
    Some(Toolchain { nvrtc, builtins, include, headers, nvcc, version, origin })
}

/// The roots of the toolkits whose `nvcc` is on the PATH, directly and with links resolved.
fn roots_of_nvcc(path: &[PathBuf]) -> Vec<PathBuf> {
    let root = |nvcc: &Path| nvcc.parent().and_then(Path::parent).map(Path::to_path_buf);
    let mut roots = Vec::new();
    for nvcc in path.iter().filter_map(|folder| existing_file(folder.join(NVCC))) {
        let target = nvcc.canonicalize().ok();
        roots.extend(root(&nvcc));
        roots.extend(target.as_deref().and_then(root));
    }
    roots
}

/// The version, from the toolkit's `version.json`, the library's file name behind its link
/// (`libnvrtc.so.13.0.88`), the file name of the library of built-in functions (`...so.13.0`), or
/// the major version. Nothing is loaded.
fn find_version(root: Option<&Path>, nvrtc: &Path, builtins: Option<&Path>) -> String {
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

fn existing_file(path: PathBuf) -> Option<PathBuf> {
    path.is_file().then_some(path)
}

/// The first file of a folder, by name, whose name starts with `prefix`.
fn file_with_prefix(folder: &Path, prefix: &str) -> Option<PathBuf> {
    let named = |path: &PathBuf| {
        path.file_name().and_then(|n| n.to_str()).is_some_and(|n| n.starts_with(prefix))
            && path.is_file()
    };
    fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).filter(named).min()
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
