//! What `checker run` tells nvcc, from the command line and the environment.

use std::env;
use std::path::{Path, PathBuf};

use crate::cli;
use crate::compile::Project;
use crate::error::Usage;

/// Variables of the environment by which the compilers find files.
const VARIABLES: [&str; 5] =
    ["CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "NVCC_CCBIN"];

/// The project of these arguments, with absolute paths, because nvcc runs in another folder.
pub fn project(args: &cli::Run) -> anyhow::Result<Project> {
    let here = env::current_dir()?;
    let [main, further @ ..] = args.files.as_slice() else { anyhow::bail!("no file is given") };
    let folder = std::path::absolute(main)?.parent().map(Path::to_owned).unwrap_or_default();
    let sources: Vec<PathBuf> =
        further.iter().map(std::path::absolute).collect::<Result<_, _>>()?;
    for path in &sources {
        if !path.is_file() {
            return Err(Usage(format!("{}: there is no such file", path.display())).into());
        }
    }
    for library in args.nvcc_link.iter().filter_map(|option| option.strip_prefix("-l")) {
        if let Some(what) = unsupported(library) {
            return Err(Usage(format!(
                "-l{library}: {what} is correct CUDA that the checker does not support, because its \
                 kernels have no source that the simulator could run"
            ))
            .into());
        }
    }
    let mut project = Project { folder, sources, ..Project::default() };
    let mut path_follows = false;
    for option in &args.nvcc {
        match option.trim_start_matches('-').split_once('=') {
            Some(("rdc" | "relocatable-device-code", value)) => {
                project.relocatable = value == "true"
            }
            _ => project.compile.push(with_absolute_path(option, path_follows, &here)),
        }
        path_follows = matches!(option.as_str(), "-isystem" | "-include");
    }
    project.link =
        args.nvcc_link.iter().map(|option| with_absolute_path(option, false, &here)).collect();
    project.environment = VARIABLES
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), absolute_list(&env::var(name).ok()?, &here))))
        .filter(|(_, value)| !value.is_empty())
        .collect();
    Ok(project)
}

/// The folders of a project, which a compiler in the sandbox reads.
pub fn folders(project: &Project) -> Vec<PathBuf> {
    let sources = project.sources.iter().filter_map(|path| Some(path.parent()?.to_owned()));
    let searched = project.compile.iter().chain(&project.link);
    let searched = searched.filter_map(|option| {
        let folder = option.strip_prefix("-I").or_else(|| option.strip_prefix("-L"))?;
        Some(PathBuf::from(folder))
    });
    let listed = project.environment.iter().flat_map(|(_, list)| env::split_paths(list));
    std::iter::once(project.folder.clone()).chain(sources).chain(searched).chain(listed).collect()
}

/// An option such as `-Ifolder` with its folder from the current one. A header after `-include`
/// stays as it is when there is no such file, because it may be found in an include folder.
fn with_absolute_path(option: &str, is_path: bool, here: &Path) -> String {
    if is_path {
        let path = here.join(option);
        return if path.exists() { path.display().to_string() } else { option.to_owned() };
    }
    for letter in ["-I", "-L"] {
        if let Some(folder) = option.strip_prefix(letter) {
            return format!("{letter}{}", here.join(folder).display());
        }
    }
    option.to_owned()
}

/// The folders of a variable such as CPATH.
fn absolute_list(value: &str, here: &Path) -> String {
    let folders = env::split_paths(value).map(|folder| here.join(folder));
    let joined = env::join_paths(folders).unwrap_or_default();
    if value.is_empty() { String::new() } else { joined.to_string_lossy().into_owned() }
}

/// A library of NVIDIA's with kernels of its own.
fn unsupported(library: &str) -> Option<&'static str> {
    const LIBRARIES: [(&str, &str); 9] = [
        ("cublas", "cuBLAS"),
        ("cufft", "cuFFT"),
        ("curand", "cuRAND's host interface"),
        ("cusparse", "cuSPARSE"),
        ("cusolver", "cuSOLVER"),
        ("cudnn", "cuDNN"),
        ("nccl", "NCCL"),
        ("npp", "NPP"),
        ("nvjpeg", "nvJPEG"),
    ];
    LIBRARIES.iter().find(|(name, _)| library.starts_with(name)).map(|(_, what)| *what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_absolute() {
        let here = Path::new("/project");
        assert_eq!(with_absolute_path("-Iinc", false, here), "-I/project/inc");
        assert_eq!(with_absolute_path("-I/usr/inc", false, here), "-I/usr/inc");
        assert_eq!(with_absolute_path("-DN=a/b", false, here), "-DN=a/b");
        assert_eq!(with_absolute_path("no/such.h", true, here), "no/such.h");
        assert_eq!(absolute_list("a:/b", here), "/project/a:/b");
        assert_eq!(absolute_list("", here), "");
    }
}
