//! Tests that a confined process cannot do what landlock does not restrict. For each role, this
//! test binary starts itself as a process that confines itself and then tries.

#![expect(unsafe_code, reason = "system calls as a program makes them")]

use std::ffi::CString;
use std::fs::File;
use std::os::fd::AsRawFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use super::{Role, confine};

/// The variable with "ROLE PATH" for the child.
const CHILD_VARIABLE: &str = "CUDA_WORKBOOK_TEST_ATTRIBUTES";

/// A hostile program must not deny a teacher access to a file, or change the date of a submission.
#[test]
fn no_role_that_runs_code_changes_a_files_attributes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("grades.json");
    std::fs::write(&file, "{}").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    let before = std::fs::metadata(&file).unwrap();
    for role in [Role::Simulator, Role::Program, Role::Gpu, Role::GpuProgram] {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "worker::sandbox::tests::change_attributes", "--nocapture"])
            .env(CHILD_VARIABLE, format!("{} {}", role.as_str(), file.display()))
            .output()
            .unwrap();
        let output_text = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && output_text.contains("all refused"),
            "{role:?}: {output_text}"
        );
        let after = std::fs::metadata(&file).unwrap();
        assert_eq!(after.permissions(), before.permissions(), "{role:?}");
        assert_eq!(after.modified().unwrap(), before.modified().unwrap(), "{role:?}");
    }
}

/// The child of the test above, and not a test.
#[test]
fn change_attributes() {
    let Ok(wanted) = std::env::var(CHILD_VARIABLE) else { return };
    let (role, path) = wanted.split_once(' ').unwrap();
    let open = File::open(path).unwrap();
    let name = CString::new(std::path::Path::new(path).as_os_str().as_bytes()).unwrap();
    let confined = confine(Role::parse(role).unwrap(), &[], None);
    assert!(confined.seccomp, "{confined}");
    let (fd, name) = (open.as_raw_fd(), name.as_ptr());
    let (here, value) = (libc::AT_FDCWD, c"user.note".as_ptr());
    // SAFETY: the names end with a zero byte, the descriptor is open, and a null pointer for the
    // times means now.
    let results = unsafe {
        [
            libc::chmod(name, 0o777),
            libc::fchmod(fd, 0o777),
            libc::syscall(452, here, name, 0o777, 0) as i32,
            libc::chown(name, 0, 0),
            libc::fchown(fd, 0, 0),
            libc::utimes(name, std::ptr::null()),
            libc::futimens(fd, std::ptr::null()),
            libc::fsetxattr(fd, value, value.cast(), 4, 0),
        ]
    };
    assert_eq!(results, [-1; 8]);
    println!("all refused");
}
