//! CUDA's headers of a distribution, which lie in `/usr/include` among the host's headers.
//!
//! NVRTC must not see the host's headers, because they don't compile as device code. So the cache
//! gets a folder that contains links to CUDA's headers only.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Toolchain, install, pip};

/// The folders of CUDA's headers.
const FOLDERS: [&str; 6] = ["cooperative_groups", "crt", "cub", "cuda", "nv", "thrust"];

/// How the names of the files start.
const PREFIXES: [&str; 15] = [
    "builtin_types.h",
    "channel_descriptor.h",
    "common_functions.h",
    "cooperative_groups.h",
    "cuComplex.h",
    "cuda",
    "device_",
    "driver_",
    "fatbinary_section.h",
    "library_types.h",
    "mma.h",
    "sm_",
    "surface_",
    "texture_",
    "vector_",
];

/// Further files, whose names are not the start of other names.
const FILES: [&str; 4] = ["host_config.h", "host_defines.h", "math_constants.h", "nvrtc.h"];

/// The links for this compiler, if they have been made.
pub(super) fn existing(cache: &Path, toolchain: &Toolchain) -> Option<PathBuf> {
    mixed(toolchain)?;
    let folder = folder(cache, toolchain);
    folder.join("cuda_fp16.h").is_file().then_some(folder)
}

/// Makes the links for a compiler whose headers lie among others. Without a cache that can be
/// written, kernels that include a header do not compile, and all others do.
#[cfg(unix)]
pub(super) fn link(cache: &Path, toolchain: &Toolchain) {
    let Some(from) = mixed(toolchain) else { return };
    let attempt = || {
        fs::create_dir_all(cache)?;
        let staging = tempfile::Builder::new().prefix(pip::STAGING_PREFIX).tempdir_in(cache)?;
        let target = staging.path().join("target");
        fs::create_dir(&target)?;
        for entry in fs::read_dir(&from)?.flatten() {
            let name = entry.file_name();
            if name.to_str().is_some_and(is_cuda) {
                std::os::unix::fs::symlink(entry.path(), target.join(name))?;
            }
        }
        install::finish(&target, &folder(cache, toolchain))
    };
    let _ = attempt();
}

#[cfg(not(unix))]
pub(super) fn link(_: &Path, _: &Toolchain) {}

/// Another version of the distribution's packages has other headers.
fn folder(cache: &Path, toolchain: &Toolchain) -> PathBuf {
    cache.join(format!("headers-system-{}", toolchain.version))
}

/// The folder that contains CUDA's headers among others, if the compiler has no folder of its own.
fn mixed(toolchain: &Toolchain) -> Option<PathBuf> {
    if toolchain.include.is_some() {
        return None;
    }
    let mut folders = toolchain.nvrtc.ancestors().skip(1).map(|root| root.join("include"));
    folders.find(|folder| folder.join("cuda_fp16.h").is_file())
}

fn is_cuda(name: &str) -> bool {
    let header = [".h", ".hpp"].iter().any(|end| name.ends_with(end));
    let named = || PREFIXES.iter().any(|prefix| name.starts_with(prefix)) || FILES.contains(&name);
    FOLDERS.contains(&name) || (header && named())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::toolchain::environment::Environment;
    use crate::toolchain::{Origin, search};

    /// A distribution's toolkit has no folder of headers of its own. After the links are made, it
    /// has one, in which the host's headers are missing.
    #[test]
    fn headers_of_a_distribution() {
        let temp = tempfile::tempdir().expect("temporary folder");
        let usr = temp.path().join("usr");
        let libraries = format!("lib/{}-linux-gnu", std::env::consts::ARCH);
        for file in [
            &format!("{libraries}/libnvrtc.so.12"),
            &format!("{libraries}/libnvrtc-builtins.so.12.4"),
            "bin/nvcc",
            "include/cuda_fp16.h",
            "include/crt/mma.h",
            "include/stdio.h",
            "include/smartcard.h",
            "include/device_id.txt",
        ] {
            let path = usr.join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
            fs::write(path, file).expect("writable");
        }
        let environment = Environment {
            path: vec![usr.join("bin")],
            cache: temp.path().join("cache"),
            ..Environment::default()
        };
        let before = search::find_all(&environment).pop().expect("found");
        assert_eq!((&before.origin, &before.include), (&Origin::Nvcc, &None));
        assert_eq!(before.version, "12.4");

        link(&environment.cache, &before);
        let include = search::find_all(&environment).pop().expect("found").include;
        let include = include.expect("the links");
        let names = fs::read_dir(&include).expect("a folder").flatten();
        let mut names: Vec<_> = names.map(|entry| entry.file_name()).collect();
        names.sort();
        assert_eq!(names, ["crt", "cuda_fp16.h"]);
        assert!(include.join("crt/mma.h").is_file());
    }
}
