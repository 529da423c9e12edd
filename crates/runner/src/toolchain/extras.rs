//! Headers of NVIDIA's that programs include and the compiler's wheels lack: cuRAND's device
//! functions, NVTX and the profiler. Each is installed from its own wheel when a source includes it
//! for the first time. Only the headers are kept, because nothing links the library beside them.

use std::fs;
use std::path::{Path, PathBuf};

use super::environment::Environment;
use super::error::Error;
use super::pip::Staging;
use super::{Toolchain, install};

/// The folder of the wheels' contents, inside pip's target folder.
const ROOT: &str = "nvidia/cu13";

/// A package of headers.
#[derive(Debug, PartialEq, Eq)]
pub struct Extra {
    /// What it is, for people.
    pub name: &'static str,
    /// Bytes to download, about.
    pub download: u64,
    /// Its folder in the cache, which names the version.
    folder: &'static str,
    /// The files by which sources include it, in its include folder.
    headers: &'static [&'static str],
    /// The requirements file for pip: the exact version, with the hash of each platform's file.
    requirements: &'static str,
}

static EXTRAS: [Extra; 3] = [
    Extra {
        name: "cuRAND's device functions",
        download: 60_000_000,
        folder: "headers-curand-10.4.0.35",
        headers: &[
            "curand_kernel.h",
            "curand_uniform.h",
            "curand_normal.h",
            "curand_poisson.h",
            "curand_philox4x32_x.h",
            "curand_mtgp32_kernel.h",
            "curand_mtgp32_host.h",
        ],
        requirements: "nvidia-curand==10.4.0.35 \
            --hash=sha256:1aee33a5da6e1db083fe2b90082def8915f30f3248d5896bcec36a579d941bfc \
            --hash=sha256:133df5a7509c3e292aaa2b477afd0194f06ce4ea24d714d616ff36439cee349a \
            --hash=sha256:65b1710aa6961d326b411e314b374290904c5ddf41dc3f766ebc3f1d7d4ca69f\n",
    },
    Extra {
        name: "NVTX",
        download: 150_000,
        folder: "headers-nvtx-13.0.85",
        headers: &[
            "nvtx3/nvToolsExt.h",
            "nvtx3/nvtx3.hpp",
            "nvtx3/nvToolsExtCuda.h",
            "nvtx3/nvToolsExtCudaRt.h",
        ],
        requirements: "nvidia-nvtx==13.0.85 \
            --hash=sha256:4936d1d6780fbe68db454f5e72a42ff64d1fd6397df9f363ae786930fd5c1cd4 \
            --hash=sha256:cb7780edb6b14107373c835bf8b72e7a178bac7367e23da7acb108f973f157a6 \
            --hash=sha256:d66ea44254dd3c6eacc300047af6e1288d2269dd072b417e0adffbf479e18519\n",
    },
    Extra {
        name: "the profiler's functions",
        download: 21_000,
        folder: "headers-profiler-13.0.85",
        headers: &["cuda_profiler_api.h", "cudaProfiler.h"],
        requirements: "nvidia-cuda-profiler-api==13.0.85 \
            --hash=sha256:73d2671deac833db6686d6fbde4753fa3a3a497d87540fc246f081f375243f66 \
            --hash=sha256:b307d61f574ab60666d0b2cb204738338dbd0e05a9fa609eaab198222f0a13c2 \
            --hash=sha256:9c12ec8aa7a0633d2d3f1406efe0326c420026572848e3891cdb11c6580061ec\n",
    },
];

/// The package that has this header.
pub fn providing(header: &str) -> Option<&'static Extra> {
    EXTRAS.iter().find(|extra| extra.headers.contains(&header))
}

impl Extra {
    fn include(&self, cache: &Path) -> PathBuf {
        cache.join(self.folder).join(ROOT).join("include")
    }

    fn is_in(&self, include: &Path) -> bool {
        self.headers.first().is_some_and(|header| include.join(header).is_file())
    }
}

/// The include folders of the installed packages that the compiler's own folder lacks.
pub(super) fn installed(cache: &Path, own: Option<&Path>) -> Vec<PathBuf> {
    let lacking = EXTRAS.iter().filter(|extra| !own.is_some_and(|own| extra.is_in(own)));
    let folders = lacking.map(|extra| (extra, extra.include(cache)));
    folders.filter(|(extra, include)| extra.is_in(include)).map(|(_, include)| include).collect()
}

/// Installs a package, and returns the compiler with its headers.
pub(super) fn add(
    environment: &Environment,
    toolchain: &Toolchain,
    extra: &Extra,
) -> Result<Toolchain, Error> {
    let cache = environment.cache.as_path();
    let in_cache = |reason| Error::cache(cache, reason);
    install::check_writable(cache)?;
    let _lock = install::lock(cache, &mut |_| ())?;
    if !extra.is_in(&extra.include(cache)) {
        let staging = Staging::new(cache, extra.requirements)?;
        let target = staging.target();
        let failed = |status: String| Error::Pip { status, detail: String::new() };
        let done = staging.command(&environment.path)?.output();
        let done = done.map_err(|error| failed(error.to_string()))?;
        if !done.status.success() {
            let said = String::from_utf8_lossy(&done.stderr);
            return Err(staging.error(&said, done.status.to_string(), cache));
        }
        if !extra.is_in(&target.join(ROOT).join("include")) {
            return Err(Error::Incomplete);
        }
        let _ = fs::remove_dir_all(target.join(ROOT).join("lib"));
        let _ = fs::remove_dir_all(target.join(ROOT).join("bin"));
        install::finish(&target, &cache.join(extra.folder)).map_err(in_cache)?;
    }
    let headers = installed(cache, toolchain.include.as_deref());
    Ok(Toolchain { headers, ..toolchain.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// pip gets one package with one hash for each platform, and the folder names its version.
    #[test]
    fn requirements_are_pinned() {
        for extra in &EXTRAS {
            let (_, rest) = extra.requirements.split_once("==").expect("name==version");
            let mut words = rest.split_whitespace();
            let version = words.next().expect("a version");
            assert!(extra.folder.ends_with(version), "{}", extra.folder);
            let hashes: Vec<&str> =
                words.filter_map(|word| word.strip_prefix("--hash=sha256:")).collect();
            assert_eq!(hashes.len(), 3);
            assert!(
                hashes.iter().all(|h| h.len() == 64 && h.chars().all(|c| c.is_ascii_hexdigit()))
            );
        }
        assert_eq!(providing("curand_kernel.h").map(|e| e.name), Some("cuRAND's device functions"));
        assert_eq!(providing("cublas_v2.h"), None);
    }

    /// Only folders that have the headers, and that the compiler lacks, are used.
    #[test]
    fn installed_headers_are_found() {
        let cache = tempfile::tempdir().expect("temporary folder");
        assert!(installed(cache.path(), None).is_empty());
        let include = EXTRAS[1].include(cache.path());
        fs::create_dir_all(include.join("nvtx3")).expect("folders");
        assert!(installed(cache.path(), None).is_empty(), "an empty folder");
        fs::write(include.join("nvtx3/nvToolsExt.h"), "").expect("writes");
        assert_eq!(installed(cache.path(), None), std::slice::from_ref(&include));
        assert!(installed(cache.path(), Some(&include)).is_empty(), "the compiler has it");
    }
}
