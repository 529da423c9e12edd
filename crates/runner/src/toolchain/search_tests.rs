//! Tests the order of the search with toolkits of empty files in a temporary folder.

use super::*;

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

    /// A toolkit that can compile, at `root`.
    fn toolkit(&self, root: &str) -> PathBuf {
        let libraries = LIBRARIES[0];
        self.file(&format!("{root}/{libraries}/{NVRTC}"));
        self.file(&format!("{root}/{libraries}/{BUILTINS}0"));
        self.file(&format!("{root}/include/cuda_fp16.h"));
        self.file(&format!("{root}/bin/{NVCC}"));
        self.folder.path().join(root)
    }

    fn origin(&self) -> Option<Origin> {
        find(&self.environment).map(|t| t.origin)
    }
}

/// Each place has precedence over all later ones.
#[test]
fn places_are_searched_in_order() {
    let mut machine = Machine::new();
    assert_eq!(find(&machine.environment), None);

    machine.toolkit(&format!("cache/{}/{}", pins::folder(), pins::ROOT));
    assert_eq!(machine.origin(), Some(Origin::Cache));

    machine.file(&format!("system/{NVRTC}"));
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

    let found = find(&machine.environment).expect("found");
    assert_eq!(found.nvrtc, named.join(LIBRARIES[0]).join(NVRTC));
    assert_eq!(found.include, Some(named.join("include")));
    assert_eq!(found.nvcc, Some(named.join("bin").join(NVCC)));
}

/// A variable that points nowhere, a CUDA 12 toolkit, or an incomplete toolkit must not hide a
/// usable one.
#[test]
fn unusable_toolkits_are_passed_over() {
    let mut machine = Machine::new();
    machine.file("cuda12/lib64/libnvrtc.so.12");
    machine.file("cuda12/lib64/libnvrtc-builtins.so.12.8");
    machine.file(&format!("half/{}/{NVRTC}", LIBRARIES[0]));
    let nowhere = machine.folder.path().join("nowhere");
    machine.environment.variables = vec![
        ("CUDA_HOME".to_owned(), nowhere),
        ("CUDA_PATH".to_owned(), machine.folder.path().join("cuda12")),
    ];
    machine.environment.usual = vec![machine.folder.path().join("half")];
    assert_eq!(machine.origin(), None);

    machine.toolkit(&format!("cache/{}/{}", pins::folder(), pins::ROOT));
    assert_eq!(machine.origin(), Some(Origin::Cache));
}

/// Wheels of other pins and the folders of an interrupted installation are not found.
#[test]
fn other_folders_of_the_cache_are_no_compiler() {
    let machine = Machine::new();
    machine.toolkit(&format!("cache/installing-x1/target/{}", pins::ROOT));
    machine.toolkit(&format!("cache/cuda-13.0.88-00000000/{}", pins::ROOT));
    assert_eq!(machine.origin(), None);
}

/// The version comes from the files around the library, and never from unexpected text.
#[test]
fn versions() {
    let machine = Machine::new();
    let root = machine.toolkit("toolkit");
    let nvrtc = root.join(LIBRARIES[0]).join(NVRTC);
    let version = || toolkit_in(&root, Origin::Usual).map(|t| t.version);
    let json = root.join("version.json");
    fs::write(&json, r#"{"cuda_nvrtc": {"name": "CUDA NVRTC", "version": "13.1.80"}}"#)
        .expect("writes");
    assert_eq!(version().as_deref(), Some("13.1.80"));
    fs::write(&json, r#"{"cuda_nvrtc": {"version": "13.1; rm -rf"}}"#).expect("writes");
    assert_eq!(version().as_deref(), Some("13"));
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
    let found = find(&machine.environment).expect("found");
    assert_eq!(found.origin, Origin::Nvcc);
    assert!(found.nvrtc.ends_with(format!("opt/cuda-13/{}/{NVRTC}", LIBRARIES[0])));
}
