//! The folders that the search looks at. They are read from the process once, so that tests can
//! replace them.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

use super::error::Error;
use super::version::Wanted;

/// The variable with which a user chooses the version of CUDA.
pub(super) const VERSION_VARIABLE: &str = "CUDA_WORKBOOK_CUDA";

/// The places of this machine where a compiler can be.
#[derive(Debug, Clone, Default)]
pub(super) struct Environment {
    /// `CUDA_HOME` and `CUDA_PATH`, if set and not empty.
    pub variables: Vec<(String, PathBuf)>,
    /// Usual toolkit folders.
    pub usual: Vec<PathBuf>,
    /// The PATH, split.
    pub path: Vec<PathBuf>,
    /// Folders that the system's loader searches.
    pub libraries: Vec<PathBuf>,
    /// The workbook's cache.
    pub cache: PathBuf,
    /// The value of `CUDA_WORKBOOK_CUDA`, if set and not empty.
    pub wanted: Option<String>,
}

impl Environment {
    /// The environment of this process.
    pub fn current() -> Self {
        let set = |name: &str| {
            let value = env::var_os(name).filter(|v| !v.is_empty())?;
            Some((name.to_owned(), PathBuf::from(value)))
        };
        Self {
            variables: ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(set).collect(),
            usual: if cfg!(windows) { vec![] } else { vec![PathBuf::from("/usr/local/cuda")] },
            path: path_variable("PATH"),
            libraries: loader_folders(),
            cache: cache_dir(),
            wanted: env::var(VERSION_VARIABLE).ok().filter(|value| !value.is_empty()),
        }
    }

    /// The version of CUDA that the user asks for.
    pub fn wanted(&self) -> Result<Option<Wanted>, Error> {
        let Some(text) = &self.wanted else { return Ok(None) };
        let wanted = Wanted::parse(text).ok_or_else(|| Error::Wanted {
            wanted: crate::text::excerpt(text, 40),
            why: "this is not a version".to_owned(),
        });
        wanted.map(Some)
    }
}

/// The folder for everything that can be downloaded or computed again: `$CUDA_WORKBOOK_CACHE`, else
/// `cuda-workbook` in the user's cache folder (`$XDG_CACHE_HOME`, `~/.cache`, `%LOCALAPPDATA%`).
pub fn cache_dir() -> PathBuf {
    if let Some(dir) = env::var_os("CUDA_WORKBOOK_CACHE").filter(|v| !v.is_empty()) {
        // A relative path must mean the same folder to the checker and to its children.
        return std::path::absolute(&dir).unwrap_or_else(|_| dir.into());
    }
    match etcetera::choose_base_strategy() {
        Ok(base) => base.cache_dir().join("cuda-workbook"),
        // There is no home folder, as in a bare container.
        Err(_) => env::temp_dir().join("cuda-workbook"),
    }
}

/// A path as reports show it: `~/...` inside the home folder.
pub fn display_path(path: &Path) -> String {
    let home = etcetera::home_dir().ok().filter(|h| h.components().count() > 1);
    match home.and_then(|h| path.strip_prefix(h).map(Path::to_path_buf).ok()) {
        Some(rest) => Path::new("~").join(rest).display().to_string(),
        None => path.display().to_string(),
    }
}

fn path_variable(variable: &str) -> Vec<PathBuf> {
    let value = env::var_os(variable).unwrap_or_default();
    env::split_paths(&value).filter(|p| p.is_absolute()).collect()
}

/// The folders that the dynamic loader searches, according to ld.so(8) and ldconfig(8).
fn loader_folders() -> Vec<PathBuf> {
    if cfg!(windows) {
        return path_variable("PATH");
    }
    let mut folders = path_variable("LD_LIBRARY_PATH");
    let mut configured: Vec<PathBuf> = fs::read_dir("/etc/ld.so.conf.d")
        .map(|entries| entries.flatten().map(|e| e.path()).collect())
        .unwrap_or_default();
    configured.sort();
    for file in configured.iter().filter(|f| f.extension().is_some_and(|e| e == "conf")) {
        let text = fs::read_to_string(file).unwrap_or_default();
        folders
            .extend(text.lines().map(str::trim).filter(|l| l.starts_with('/')).map(PathBuf::from));
    }
    let triple = format!("{}-linux-gnu", env::consts::ARCH);
    folders.extend(["/lib", "/usr/lib"].map(|base| Path::new(base).join(&triple)));
    folders.extend(["/lib64", "/usr/lib64", "/usr/lib", "/usr/local/lib"].map(PathBuf::from));
    folders
}
