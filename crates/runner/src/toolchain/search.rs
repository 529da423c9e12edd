//! Searches for CUDA compilers by file names.

use std::fs;
use std::path::{Path, PathBuf};

use super::environment::Environment;
use super::pins::{self, Pins};
use super::{Origin, Toolchain, extras, linked};

/// NVRTC's file name contains the major version on every platform: `libnvrtc.so.13`.
const NVRTC: &str = if cfg!(windows) { "nvrtc64_" } else { "libnvrtc.so." };
/// All later versions of CUDA 11 have this file name: `libnvrtc.so.11.2`.
const NVRTC_11: &str = "11.2";
/// The file name of its built-in functions contains both numbers: `libnvrtc-builtins.so.13.0`.
const BUILTINS: &str = if cfg!(windows) { "nvrtc-builtins64_" } else { "libnvrtc-builtins.so." };
pub(super) const NVCC: &str = if cfg!(windows) { "nvcc.exe" } else { "nvcc" };

/// The folders of libraries in toolkits of installers, conda, distributions and wheels.
const LIBRARIES: &[&str] = if cfg!(windows) {
    &["bin/x86_64", "bin/x64", "bin"]
} else if cfg!(target_arch = "aarch64") {
    &[
        "lib64",
        "lib",
        "targets/sbsa-linux/lib",
        "targets/aarch64-linux/lib",
        "lib/aarch64-linux-gnu",
    ]
} else {
    &["lib64", "lib", "targets/x86_64-linux/lib", "lib/x86_64-linux-gnu"]
};

/// The folders of CUDA's headers in toolkits; first the one that contains no other headers.
const HEADERS: &[&str] = if cfg!(target_arch = "aarch64") {
    &["targets/sbsa-linux/include", "targets/aarch64-linux/include", "include"]
} else {
    &["targets/x86_64-linux/include", "include"]
};

/// All compilers, in the order of [`Origin`]. A compiler that is found in two ways is listed once.
pub(super) fn find_all(environment: &Environment) -> Vec<Toolchain> {
    let variables = environment
        .variables
        .iter()
        .map(|(name, root)| (root.clone(), Origin::Variable(name.clone())));
    let usual = environment.usual.iter().map(|root| (root.clone(), Origin::Usual));
    let on_path = roots_of_nvcc(&environment.path).into_iter().map(|root| (root, Origin::Nvcc));
    let roots = variables.chain(usual).chain(on_path);
    let mut found: Vec<Toolchain> = vec![];
    let toolkits = roots.flat_map(|(root, origin)| toolkits_in(&root, &origin));
    let libraries = loader_libraries(&environment.libraries);
    let cached = pins::ALL.iter().filter_map(|pins| cached(&environment.cache, pins));
    for toolkit in toolkits.chain(libraries).chain(cached) {
        let same = |other: &Toolchain| real(&other.nvrtc) == real(&toolkit.nvrtc);
        if !found.iter().any(same) {
            found.push(with_cached_headers(&environment.cache, toolkit));
        }
    }
    found
}

/// The compiler with the folders of headers that the cache has for it.
pub(super) fn with_cached_headers(cache: &Path, toolkit: Toolchain) -> Toolchain {
    let include = toolkit.include.clone().or_else(|| linked::existing(cache, &toolkit));
    let headers = extras::installed(cache, include.as_deref());
    Toolchain { include, headers, ..toolkit }
}

/// The compiler that `checker setup` has installed from these wheels.
pub(super) fn cached(cache: &Path, pins: &Pins) -> Option<Toolchain> {
    installed(&cache.join(pins.folder()), pins)
}

/// The compiler in a folder of unpacked wheels.
pub(super) fn installed(folder: &Path, pins: &Pins) -> Option<Toolchain> {
    let found = toolkits_in(&folder.join(pins.root), &Origin::Cache).into_iter().next()?;
    Some(Toolchain { version: pins.version.to_owned(), ..found })
}

/// The toolkits under `root`: one for each NVRTC that has its library of built-in functions.
fn toolkits_in(root: &Path, origin: &Origin) -> Vec<Toolchain> {
    let libraries = LIBRARIES.iter().map(|folder| root.join(folder));
    let usable = libraries.map(|folder| with_builtins(&folder)).find(|found| !found.is_empty());
    // A folder that also contains the host's headers must not get into device code.
    let own = |folder: &PathBuf| {
        folder.join("cuda_fp16.h").is_file() && !folder.join("stdio.h").is_file()
    };
    let include = HEADERS.iter().map(|h| root.join(h)).find(own);
    let nvcc = existing_file(root.join("bin").join(NVCC));
    let toolkit = |(nvrtc, builtins): (PathBuf, PathBuf)| Toolchain {
        version: find_version(Some(root), &nvrtc, Some(&builtins)),
        nvrtc,
        builtins: Some(builtins),
        include: include.clone(),
        headers: vec![],
        nvcc: nvcc.clone(),
        origin: origin.clone(),
    };
    usable.unwrap_or_default().into_iter().map(toolkit).collect()
}

/// Whether the root of a toolkit contains a compiler.
pub(super) fn has_compiler(root: &Path) -> bool {
    !toolkits_in(root, &Origin::Usual).is_empty()
}

/// The NVRTC libraries of a folder with their built-in functions, the newest first.
fn with_builtins(folder: &Path) -> Vec<(PathBuf, PathBuf)> {
    let with_builtins = |(major, nvrtc)| Some((nvrtc, builtins(folder, major)?));
    libraries(folder).into_iter().filter_map(with_builtins).collect()
}

/// NVRTC without a toolkit, in the folders of the loader.
fn loader_libraries(folders: &[PathBuf]) -> Vec<Toolchain> {
    let all = folders.iter().flat_map(|folder| libraries(folder));
    let toolkit = |(major, nvrtc): (u32, PathBuf)| {
        let beside = nvrtc.parent().and_then(|folder| builtins(folder, major));
        let builtins = beside.or_else(|| folders.iter().find_map(|folder| builtins(folder, major)));
        let version = find_version(None, &nvrtc, builtins.as_deref());
        let (include, headers, nvcc, origin) = (None, vec![], None, Origin::Loader);
        Toolchain { nvrtc, builtins, include, headers, nvcc, version, origin }
    };
    all.map(toolkit).collect()
}

/// The NVRTC libraries of a folder with their major versions, the newest first.
fn libraries(folder: &Path) -> Vec<(u32, PathBuf)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<(u32, PathBuf)> = entries
        .filter_map(|path| {
            let number = path.file_name()?.to_str()?.strip_prefix(NVRTC)?;
            let major = if cfg!(windows) {
                // `nvrtc64_130_0.dll`
                number.strip_suffix("0_0.dll")?.parse().ok()?
            } else if number == NVRTC_11 {
                11
            } else {
                number.parse().ok()?
            };
            path.is_file().then_some((major, path))
        })
        .collect();
    found.sort_by(|a, b| b.cmp(a));
    found
}

/// The library of built-in functions of this major version.
fn builtins(folder: &Path, major: u32) -> Option<PathBuf> {
    let dot = if cfg!(windows) { "" } else { "." };
    file_with_prefix(folder, &format!("{BUILTINS}{major}{dot}"))
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
        if cfg!(windows) {
            // `nvrtc-builtins64_124.dll`
            let number: u32 = name.strip_prefix(BUILTINS)?.strip_suffix(".dll")?.parse().ok()?;
            return Some(format!("{}.{}", number / 10, number % 10));
        }
        let (_, version) = name.split_once(".so.")?;
        version.contains('.').then(|| version.to_owned())
    };
    let major = |path: &Path| {
        let name = path.file_name()?.to_str()?.strip_prefix(NVRTC)?;
        Some(name.strip_suffix("0_0.dll").unwrap_or(name).to_owned())
    };
    let major = major(nvrtc).unwrap_or_default();
    let plausible = |version: &String| {
        version.split('.').next() == Some(&major)
            && version.chars().all(|c| c.is_ascii_digit() || c == '.')
    };
    let listed = listed().filter(plausible);
    let named = || suffix(nvrtc).filter(plausible);
    let of_builtins = || builtins.and_then(suffix).filter(plausible);
    listed.or_else(named).or_else(of_builtins).unwrap_or_else(|| major.clone())
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
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
