//! Scripts that tests start as programs.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Writes an executable script.
///
/// Another process writes it. If this one did, a child that another test starts at the same time
/// could inherit the open file, and the system starts no program that is open for writing.
pub fn write(path: &Path, text: &str) {
    let mut shell = Command::new("sh")
        .args(["-c", "cat >\"$0\" && chmod 755 \"$0\""])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .expect("a shell");
    shell.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("writes");
    assert!(shell.wait().expect("ends").success());
}
