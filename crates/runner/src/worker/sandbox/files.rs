//! The files that a child may access (landlock(7)).

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, Compatible, LandlockStatus, PathBeneath, PathFd,
    Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};

use super::Role;

/// The newest version of landlock whose rights are used. A kernel ignores the rights that it does
/// not know.
const NEWEST: ABI = ABI::V6;

/// The folders of the system's programs and libraries.
const SYSTEM: [&str; 5] = ["/usr", "/bin", "/lib", "/lib32", "/lib64"];
/// How the names of the workbook's own programs begin. `checker` contains the solutions.
const OWN_PROGRAMS: &str = "checker";
/// Files that the dynamic loader and the compiler's drivers read. No compiler needs a file in
/// `/proc`, and an `#include` could show what is there about this process and the machine.
const LOADER_FILES: [&str; 3] = ["/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime"];

/// Restricts this process to the files of its role. Returns the version of landlock that is in
/// force.
pub(super) fn confine(
    role: Role,
    readable: &[PathBuf],
    scratch: Option<&Path>,
) -> Result<u32, String> {
    let failed = |error: RulesetError| format!("landlock: {error}");
    let mut rules = Rules(
        Ruleset::default()
            .set_compatibility(landlock::CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(NEWEST))
            .and_then(|rules| rules.handle_access(AccessNet::from_all(NEWEST)))
            .and_then(|rules| rules.scope(Scope::from_all(NEWEST)))
            .and_then(Ruleset::create)
            .map_err(failed)?,
    );
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let run = AccessFs::from_read(NEWEST);
    let all = AccessFs::from_all(NEWEST);
    match role {
        // it has already loaded everything that it needs
        Role::Simulator => {}
        Role::Compiler => {
            rules.allow_paths(&system(), run).map_err(failed)?;
            rules.allow_paths(readable, run).map_err(failed)?;
            rules.allow_each(&LOADER_FILES, read).map_err(failed)?;
            rules.allow("/dev/null".as_ref(), read | AccessFs::WriteFile).map_err(failed)?;
            if let Some(scratch) = scratch {
                rules.allow(scratch, all).map_err(failed)?;
            }
        }
        // its libraries are loaded, and it reads only the compiled program
        Role::Program => {
            rules.allow("/dev/null".as_ref(), read | AccessFs::WriteFile).map_err(failed)?;
            if let Some(scratch) = scratch {
                rules.allow(scratch, read).map_err(failed)?;
            }
        }
        Role::Gpu | Role::GpuProgram => {
            rules.allow_paths(&system(), read).map_err(failed)?;
            rules.allow_each(&LOADER_FILES, read).map_err(failed)?;
            // what the driver reads: its parameters, the memory and the processors of the machine,
            // its installation
            let driver =
                ["/opt", "/sys", "/proc/driver", "/proc/devices", "/proc/cpuinfo", "/proc/meminfo"];
            rules.allow_each(&driver, read).map_err(failed)?;
            rules
                .allow_each(&["/proc/sys/vm", "/proc/modules", "/etc/nvidia"], read)
                .map_err(failed)?;
            let libraries = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
            for path in std::env::split_paths(&libraries).filter(|path| path.is_absolute()) {
                rules.allow(&path, read).map_err(failed)?;
            }
            // CUDA names its threads through files in /proc that it truncates, and does not start
            // without that
            let rename = read | AccessFs::WriteFile | AccessFs::Truncate;
            rules.allow("/proc/self".as_ref(), rename).map_err(failed)?;
            for path in devices() {
                rules.allow(&path, all).map_err(failed)?;
            }
            rules.allow("/dev/null".as_ref(), read | AccessFs::WriteFile).map_err(failed)?;
            // the driver caches there what it compiles, but nothing of a program, which could
            // otherwise fill the disk
            if let Some(scratch) = scratch {
                let access = if role == Role::Gpu { all } else { read };
                rules.allow(scratch, access).map_err(failed)?;
            }
        }
    }
    let status = rules.0.restrict_self().map_err(failed)?;
    match (status.ruleset, status.landlock) {
        (RulesetStatus::NotEnforced, LandlockStatus::NotEnabled) => {
            Err("this system has landlock switched off (boot it with `lsm=landlock,...`)".into())
        }
        (RulesetStatus::NotEnforced, _) => {
            Err("this kernel has no landlock (Linux 5.13 or later has it)".into())
        }
        (_, LandlockStatus::Available { effective_abi, kernel_abi }) => {
            let version = kernel_abi.unwrap_or(effective_abi as i32);
            Ok(u32::try_from(version).unwrap_or(1))
        }
        (_, LandlockStatus::NotEnabled | LandlockStatus::NotImplemented) => {
            Err("this kernel has no landlock (Linux 5.13 or later has it)".into())
        }
    }
}

/// The system's folders without the workbook's own programs, which may be installed there.
fn system() -> Vec<PathBuf> {
    let own = std::env::current_exe().and_then(std::fs::canonicalize).unwrap_or_default();
    let own = own.parent().unwrap_or(Path::new("/nowhere"));
    SYSTEM.iter().flat_map(|folder| without_own_programs(Path::new(folder), own)).collect()
}

/// A folder, or as many of its parts as are needed to leave out the workbook's programs in `own`.
fn without_own_programs(folder: &Path, own: &Path) -> Vec<PathBuf> {
    let real = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    if !own.starts_with(&real) {
        return vec![folder.to_owned()];
    }
    let entries = std::fs::read_dir(&real).into_iter().flatten().flatten();
    let part = |entry: std::fs::DirEntry| {
        let is_own = entry.file_name().to_string_lossy().starts_with(OWN_PROGRAMS);
        match real == own {
            true if is_own => vec![],
            true => vec![entry.path()],
            false => without_own_programs(&entry.path(), own),
        }
    };
    entries.flat_map(part).collect()
}

/// NVIDIA's device files: one for each GPU, and some for all of them. WSL has another one.
fn devices() -> impl Iterator<Item = PathBuf> {
    let folders = ["/dev", "/dev/nvidia-caps"];
    let entries = folders.into_iter().filter_map(|folder| std::fs::read_dir(folder).ok());
    entries.flatten().flatten().map(|entry| entry.path()).filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("nvidia") || name == "dxg"
    })
}

/// Rules, to which more can be added.
struct Rules(RulesetCreated);

impl Rules {
    /// Allows access to a file or a folder, if it exists.
    fn allow(&mut self, path: &Path, access: BitFlags<AccessFs>) -> Result<(), RulesetError> {
        let Ok(file) = PathFd::new(path) else { return Ok(()) };
        // a file has no rights about the contents of folders
        let access = if path.is_dir() { access } else { access & AccessFs::from_file(NEWEST) };
        (&mut self.0).add_rule(PathBeneath::new(file, access)).map(drop)
    }

    fn allow_paths(
        &mut self,
        paths: &[PathBuf],
        access: BitFlags<AccessFs>,
    ) -> Result<(), RulesetError> {
        paths.iter().try_for_each(|path| self.allow(path, access))
    }

    fn allow_each(
        &mut self,
        paths: &[&str],
        access: BitFlags<AccessFs>,
    ) -> Result<(), RulesetError> {
        paths.iter().try_for_each(|path| self.allow(path.as_ref(), access))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A checker that is installed in /usr/local/bin is not readable by programs that it runs,
    /// and everything else there is.
    #[test]
    fn the_folders_of_the_system_have_no_checker() {
        let system = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(system.path()).unwrap();
        let own = root.join("local/bin");
        std::fs::create_dir_all(&own).unwrap();
        std::fs::create_dir_all(root.join("lib")).unwrap();
        for name in ["checker", "checker-tools", "checker-worker", "g++"] {
            std::fs::write(own.join(name), "").unwrap();
        }
        let mut found = without_own_programs(&root, &own);
        found.sort();
        assert_eq!(found, [root.join("lib"), own.join("g++")]);
        assert_eq!(without_own_programs(&root.join("lib"), &own), [root.join("lib")]);
    }
}
