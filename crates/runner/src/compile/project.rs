//! A learner's own program: source files, options and headers that an exercise doesn't have.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// What nvcc gets beside the main file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Project {
    /// The folder for `#include "..."` of the main file.
    pub folder: PathBuf,
    /// Further source files.
    pub sources: Vec<PathBuf>,
    /// nvcc's arguments for each compilation, such as `-I` and `-D`.
    pub compile: Vec<String>,
    /// nvcc's arguments for the link, such as `-l`.
    pub link: Vec<String>,
    /// Whether device code of one file may call device code of another (`-rdc=true`).
    pub relocatable: bool,
    /// Variables of the environment that the compilers read, such as CPATH, and their values.
    pub environment: Vec<(String, String)>,
}

impl Project {
    /// A program of one file without options, in this folder.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), ..Self::default() }
    }

    /// Whether the result depends only on the main file's own text and on the arguments.
    pub fn is_closed(&self) -> bool {
        let includes = |argument: &String| {
            ["-I", "-i", "-L", "-l", "-Xlinker"].iter().any(|option| argument.starts_with(option))
        };
        self.sources.is_empty()
            && self.environment.is_empty()
            && !self.compile.iter().chain(&self.link).any(includes)
    }

    /// The most registers of a thread, if an argument limits them.
    pub fn max_registers(&self) -> Option<u32> {
        let mut arguments = self.compile.iter().map(|argument| argument.trim_start_matches('-'));
        let limit = arguments.find_map(|argument| argument.strip_prefix("maxrregcount"))?;
        let value = limit.strip_prefix('=').or_else(|| arguments.next())?;
        value.parse().ok().filter(|most| *most > 0)
    }

    /// Whether an argument chooses the C++ standard.
    pub fn has_standard(&self) -> bool {
        self.compile
            .iter()
            .any(|argument| ["-std", "--std"].iter().any(|option| argument.starts_with(option)))
    }

    /// Whether an argument decides about fused multiplications and additions.
    pub fn has_fmad(&self) -> bool {
        self.compile
            .iter()
            .any(|argument| argument.contains("fmad") || argument.contains("use_fast_math"))
    }
}

/// One source file during a compilation.
#[derive(Debug)]
pub(super) struct Unit {
    /// Its name without folders, by which the compilers call it.
    pub name: String,
    /// Its path; `None` for the main file.
    pub path: Option<PathBuf>,
    /// Its text.
    pub text: String,
    /// The folder for its `#include "..."`.
    pub folder: Option<PathBuf>,
}

impl Unit {
    /// The file at `path`.
    pub fn read(path: &Path) -> std::io::Result<Self> {
        Ok(Self {
            name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            path: Some(path.to_owned()),
            text: String::from_utf8_lossy(&std::fs::read(path)?).into_owned(),
            folder: path.parent().map(Path::to_owned),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// nvcc takes the value after `=` or as the next argument.
    #[test]
    fn the_limit_of_registers_is_found() {
        let limit = |arguments: &[&str]| {
            let compile = arguments.iter().map(|argument| (*argument).to_owned()).collect();
            Project { compile, ..Project::default() }.max_registers()
        };
        assert_eq!(limit(&["-w", "-maxrregcount=32"]), Some(32));
        assert_eq!(limit(&["--maxrregcount", "40", "-w"]), Some(40));
        for without in [&[][..], &["-w"], &["-maxrregcount"], &["-maxrregcount=0"]] {
            assert_eq!(limit(without), None, "{without:?}");
        }
    }
}
