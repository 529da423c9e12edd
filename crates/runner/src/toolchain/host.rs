//! The C++ compiler that nvcc calls for host code: g++, in a version that nvcc takes.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::packages::{Package, install_command};
use super::{Toolchain, Version};

/// The oldest g++ that nvcc takes and that knows C++17.
const OLDEST: u32 = 8;

/// A g++ that nvcc takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostCompiler {
    /// `g++`, or `g++-13` beside a newer one.
    pub program: String,
    /// Its version: `13.2.0`.
    pub version: String,
}

/// Why host code cannot be compiled here, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoHostCompiler {
    /// There is no g++ on the PATH.
    #[error("there is no C++ compiler, which host code needs: {}", self.advice())]
    Missing,
    /// The only g++ is newer than nvcc allows.
    #[error(
        "the g++ of this machine is too new for nvcc {nvcc}, which takes g++ {newest} and older: \
         {}, and the checker uses it", self.advice()
    )]
    TooNew {
        /// nvcc's version.
        nvcc: Version,
        /// The newest major version that it takes.
        newest: u32,
    },
}

impl NoHostCompiler {
    /// The command that installs a compiler.
    pub fn fix(&self) -> String {
        install_command(match self {
            Self::Missing => Package::Cxx,
            Self::TooNew { newest, .. } => Package::CxxVersion(*newest),
        })
    }

    fn advice(&self) -> String {
        let fix = self.fix();
        if fix.starts_with("sudo ") { format!("`{fix}`") } else { fix }
    }
}

/// The compiler that nvcc of `toolchain` uses, or with no toolchain the usual one.
///
/// # Errors
/// When there is none on the PATH that nvcc takes.
pub fn host_compiler(toolchain: Option<&Toolchain>) -> Result<HostCompiler, NoHostCompiler> {
    let usual = version_of("g++").ok_or(NoHostCompiler::Missing)?;
    let newest = toolchain.and_then(|toolchain| newest_accepted(toolchain.include.as_deref()?));
    let major = usual.split('.').next().and_then(|digits| digits.parse::<u32>().ok());
    if let (Some(toolchain), Some(newest), Some(major)) = (toolchain, newest, major)
        && major > newest
    {
        let older = installed_up_to(newest).map(|version| format!("g++-{version}"));
        let found = older.and_then(|program| Some((version_of(&program)?, program)));
        let (version, program) =
            found.ok_or(NoHostCompiler::TooNew { nvcc: toolchain.release(), newest })?;
        return Ok(HostCompiler { program, version });
    }
    Ok(HostCompiler { program: "g++".to_owned(), version: usual })
}

/// The newest g++ on the PATH up to this version, with the version in its name.
pub fn installed_up_to(newest: u32) -> Option<u32> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<_> = std::env::split_paths(&path).collect();
    let installed = |version: &u32| {
        folders.iter().any(|folder| folder.join(format!("g++-{version}")).is_file())
    };
    (OLDEST..=newest).rev().find(installed)
}

/// The newest g++ that these headers of nvcc take: `#if __GNUC__ > 15`.
fn newest_accepted(include: &Path) -> Option<u32> {
    let text = fs::read_to_string(include.join("crt/host_config.h")).ok()?;
    let number = |line: &str| line.trim().strip_prefix("#if __GNUC__ > ")?.trim().parse().ok();
    text.lines().find_map(number)
}

fn version_of(program: &str) -> Option<String> {
    let run = Command::new(program).arg("-dumpfullversion").stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&run.stdout);
    run.status.success().then(|| text.lines().next().unwrap_or_default().trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headers_say_which_compilers_nvcc_takes() {
        let include = tempfile::tempdir().expect("temporary folder");
        assert_eq!(newest_accepted(include.path()), None);
        fs::create_dir(include.path().join("crt")).expect("folder");
        let text = "#if defined(__GNUC__)\n\n#if __GNUC__ > 15\n\n#error -- unsupported\n#endif\n";
        fs::write(include.path().join("crt/host_config.h"), text).expect("writes");
        assert_eq!(newest_accepted(include.path()), Some(15));
    }
}
