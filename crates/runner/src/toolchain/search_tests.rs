//! Tests the order of the search with toolkits of empty files in a temporary folder.

use super::*;
use crate::toolchain::pins::{CUDA_12, CUDA_13};

/// A machine in a folder.
struct Machine {
    folder: tempfile::TempDir,
    environment: Environment,
}

impl Machine {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("temporary folder");
        let environment =
            Environment { cache: folder.path().join("cache"), ..Environment::default() };
        Self { folder, environment }
    }

    fn file(&self, path: &str) -> PathBuf {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().expect("parent")).expect("folder");
        fs::write(&path, "").expect("writes");
        path
    }

    /// A toolkit of this version that can compile, at `root`.
    fn toolkit_of(&self, version: (u32, u32), root: &str) -> PathBuf {
        let libraries = LIBRARIES[0];
        let (nvrtc, builtins) = names(version);
        self.file(&format!("{root}/{libraries}/{nvrtc}"));
        self.file(&format!("{root}/{libraries}/{builtins}"));
        self.file(&format!("{root}/include/cuda_fp16.h"));
        self.file(&format!("{root}/bin/{NVCC}"));
        self.folder.path().join(root)
    }

    /// A toolkit of CUDA 13.0.
    fn toolkit(&self, root: &str) -> PathBuf {
        self.toolkit_of((13, 0), root)
    }

    fn first(&self) -> Option<Toolchain> {
        find_all(&self.environment).into_iter().next()
    }

    fn origin(&self) -> Option<Origin> {
        self.first().map(|t| t.origin)
    }
}

/// The file names of NVRTC and its built-in functions.
fn names((major, minor): (u32, u32)) -> (String, String) {
    if cfg!(windows) {
        (format!("{NVRTC}{major}0_0.dll"), format!("{BUILTINS}{major}{minor}.dll"))
    } else {
        (format!("{NVRTC}{major}"), format!("{BUILTINS}{major}.{minor}"))
    }
}

/// NVRTC's file name in CUDA 13.
fn nvrtc_13() -> String {
    names((13, 0)).0
}

/// Each place has precedence over all later ones.
#[test]
fn places_are_searched_in_order() {
    let mut machine = Machine::new();
    assert_eq!(machine.first(), None);

    machine.toolkit(&format!("cache/{}/{}", CUDA_13.folder(), CUDA_13.root));
    assert_eq!(machine.origin(), Some(Origin::Cache));

    machine.file(&format!("system/{}", nvrtc_13()));
    machine.environment.libraries = vec![machine.folder.path().join("system")];
    assert_eq!(machine.origin(), Some(Origin::Loader));

    let on_path = machine.toolkit("opt");
    machine.environment.path = vec![on_path.join("bin")];
    assert_eq!(machine.origin(), Some(Origin::Nvcc));

    machine.environment.usual = vec![machine.toolkit("usr/local/cuda")];
    assert_eq!(machine.origin(), Some(Origin::Usual));

    let named = machine.toolkit("named");
    machine.environment.variables = vec![("CUDA_PATH".to_owned(), named.clone())];
    assert_eq!(machine.origin(), Some(Origin::Variable("CUDA_PATH".to_owned())));

    let found = machine.first().expect("found");
    assert_eq!(found.nvrtc, named.join(LIBRARIES[0]).join(nvrtc_13()));
    assert_eq!(found.include, Some(named.join("include")));
    assert_eq!(found.nvcc, Some(named.join("bin").join(NVCC)));
}

/// A variable that points nowhere, or an incomplete toolkit, must not hide a usable one.
#[test]
fn unusable_toolkits_are_passed_over() {
    let mut machine = Machine::new();
    machine.file(&format!("half/{}/{}", LIBRARIES[0], nvrtc_13()));
    let nowhere = machine.folder.path().join("nowhere");
    machine.environment.variables = vec![("CUDA_HOME".to_owned(), nowhere)];
    machine.environment.usual = vec![machine.folder.path().join("half")];
    assert_eq!(machine.origin(), None);

    machine.toolkit(&format!("cache/{}/{}", CUDA_13.folder(), CUDA_13.root));
    assert_eq!(machine.origin(), Some(Origin::Cache));
}

/// Wheels of other pins and the folders of an interrupted installation are not found.
#[test]
fn other_folders_of_the_cache_are_no_compiler() {
    let machine = Machine::new();
    machine.toolkit(&format!("cache/installing-x1/target/{}", CUDA_13.root));
    machine.toolkit(&format!("cache/cuda-13.0.88-00000000/{}", CUDA_13.root));
    assert_eq!(machine.origin(), None);
}

/// The version comes from the files around the library, and never from unexpected text.
#[test]
fn versions() {
    let machine = Machine::new();
    let root = machine.toolkit("toolkit");
    let nvrtc = root.join(LIBRARIES[0]).join(nvrtc_13());
    let version = || toolkits_in(&root, &Origin::Usual).pop().map(|t| t.version);
    let json = root.join("version.json");
    fs::write(&json, r#"{"cuda_nvrtc": {"name": "CUDA NVRTC", "version": "13.1.80"}}"#)
        .expect("writes");
    assert_eq!(version().as_deref(), Some("13.1.80"));
    fs::write(&json, r#"{"cuda_nvrtc": {"version": "13.1; rm -rf"}}"#).expect("writes");
    assert_eq!(version().as_deref(), Some("13.0"), "from the names of the files");
    fs::remove_file(&json).expect("removes");
    if cfg!(unix) {
        assert_eq!(version().as_deref(), Some("13.0"), "from the companion's name");
        fs::rename(&nvrtc, nvrtc.with_file_name("libnvrtc.so.13.0.48")).expect("renames");
        #[cfg(unix)]
        std::os::unix::fs::symlink("libnvrtc.so.13.0.48", &nvrtc).expect("links");
        assert_eq!(version().as_deref(), Some("13.0.48"), "from the file behind the link");
    }
}

/// A distribution's `nvcc` is a link into the real toolkit.
#[cfg(unix)]
#[test]
fn links_to_nvcc_are_followed() {
    let mut machine = Machine::new();
    let root = machine.toolkit("opt/cuda-13");
    let bin = machine.folder.path().join("usr/bin");
    fs::create_dir_all(&bin).expect("folder");
    std::os::unix::fs::symlink(root.join("bin/nvcc"), bin.join("nvcc")).expect("links");
    machine.environment.path = vec![bin];
    let found = machine.first().expect("found");
    assert_eq!(found.origin, Origin::Nvcc);
    assert!(found.nvrtc.ends_with(format!("opt/cuda-13/{}/{}", LIBRARIES[0], nvrtc_13())));
}

/// All toolkits are found, so that the choice can pass over those that do not fit and say so.
#[test]
fn toolkits_of_all_versions_are_found() {
    let mut machine = Machine::new();
    let versions = [(12, 3), (12, 4), (12, 9), (13, 0), (14, 0)];
    for (major, minor) in versions {
        let root = machine.toolkit_of((major, minor), &format!("cuda-{major}.{minor}"));
        machine.environment.path.push(root.join("bin"));
    }
    machine.toolkit(&format!("cache/{}/{}", CUDA_13.folder(), CUDA_13.root));
    machine.toolkit_of((12, 4), &format!("cache/{}/{}", CUDA_12.folder(), CUDA_12.root));
    let found = find_all(&machine.environment);
    let found: Vec<&str> = found.iter().map(|toolkit| toolkit.version.as_str()).collect();
    assert_eq!(found, ["12.3", "12.4", "12.9", "13.0", "14.0", "13.0.88", "12.4.127"]);
}

/// Two versions in one folder are two compilers, each with its own built-in functions. A library
/// that is found twice is one.
#[test]
fn versions_are_kept_apart() {
    let mut machine = Machine::new();
    let root = machine.toolkit_of((12, 8), "usr");
    machine.toolkit_of((13, 0), "usr");
    let libraries = root.join(LIBRARIES[0]);
    machine.environment.usual = vec![root.clone(), root];
    machine.environment.libraries = vec![libraries.clone()];
    let found = find_all(&machine.environment);
    assert_eq!(found.len(), 2);
    for (toolkit, version) in found.iter().zip([(13, 0), (12, 8)]) {
        let (nvrtc, builtins) = names(version);
        assert_eq!(toolkit.nvrtc, libraries.join(nvrtc));
        assert_eq!(toolkit.builtins, Some(libraries.join(builtins)));
        assert_eq!(toolkit.version, format!("{}.{}", version.0, version.1));
    }
}
