//! The first commands in a new clone, with a cargo that compiles nothing: what compiles when, and
//! which build runs.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Writes its arguments to a file, and puts a program into the folder of the profile that prints
/// the profile's name. The optimised build waits for the file `go` or `fail`, or the end of the
/// test.
const CARGO: &str = r#"#!/bin/sh
folder=$(dirname "$0")
echo "$@" >> "$folder/calls"
profile=$3
if [ "$profile" = release ]; then
    until [ -e "$folder/go" ] || [ -e "$folder/fail" ] || [ ! -d "$folder" ]; do sleep 0.02; done
    [ -e "$folder/go" ] || exit 101
fi
mkdir -p "$folder/target/$profile"
printf '#!/bin/sh\necho %s "$@"\n' "$profile" > "$folder/target/$profile/new"
chmod +x "$folder/target/$profile/new"
mv "$folder/target/$profile/new" "$folder/target/$profile/checker"
"#;

/// One test at a time: a process that another thread starts would inherit a program that is still
/// open for writing, and such a program can't be started.
fn alone() -> MutexGuard<'static, ()> {
    static TESTS: Mutex<()> = Mutex::new(());
    TESTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A clone whose launcher has just been compiled.
fn clone() -> tempfile::TempDir {
    let clone = tempfile::tempdir().expect("a folder");
    let debug = clone.path().join("target/debug");
    fs::create_dir_all(&debug).expect("a folder");
    fs::copy(env!("CARGO_BIN_EXE_launcher"), debug.join("launcher")).expect("the launcher");
    let cargo = clone.path().join("cargo");
    fs::write(&cargo, CARGO).expect("a file");
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).expect("an executable");
    clone
}

fn launch(clone: &Path, arguments: &[&str]) -> Output {
    let mut launcher = Command::new(clone.join("target/debug/launcher"));
    launcher.args(arguments).env("CARGO", clone.join("cargo")).env_remove("CI");
    launcher.output().expect("the launcher starts")
}

fn printed(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    (text(&output.stdout), text(&output.stderr))
}

/// How often cargo compiled this profile.
fn builds(clone: &Path, profile: &str) -> usize {
    let calls = fs::read_to_string(clone.join("calls")).unwrap_or_default();
    calls.lines().filter(|call| call.contains(&format!("--profile {profile} "))).count()
}

fn wait_until(what: &str, happens: impl Fn() -> bool) {
    let begin = Instant::now();
    while !happens() {
        assert!(begin.elapsed() < Duration::from_secs(120), "{what}");
        sleep(Duration::from_millis(20));
    }
}

#[test]
fn the_quick_build_works_until_the_optimised_one_is_there() {
    let _alone = alone();
    let clone = clone();
    let clone = clone.path();
    let (out, err) = printed(&launch(clone, &["check", "guard"]));
    assert_eq!(out, "quick check guard");
    assert!(err.contains("compiled in the background"), "{err}");
    wait_until("the build begins", || builds(clone, "release") == 1);

    let (out, err) = printed(&launch(clone, &["check", "blocks"]));
    assert_eq!((out.as_str(), err.as_str()), ("quick check blocks", ""));
    assert_eq!([builds(clone, "quick"), builds(clone, "release")], [1, 1]);

    fs::write(clone.join("go"), "").expect("a file");
    wait_until("the build ends", || !clone.join("target/optimised-build.log").exists());
    let (out, err) = printed(&launch(clone, &["check", "guard"]));
    assert_eq!((out.as_str(), err.as_str()), ("release check guard", ""));
    assert_eq!([builds(clone, "quick"), builds(clone, "release")], [1, 2], "kept up to date");
}

/// The build in the background is locked before the first command ends. So a second command right
/// after it doesn't take the new log for that of a failed build, which it would repeat.
#[test]
fn a_second_command_at_once_finds_the_build() {
    let _alone = alone();
    for _ in 0..20 {
        let clone = clone();
        let clone = clone.path();
        assert_eq!(printed(&launch(clone, &[])).0, "quick");
        let mut second = Command::new(clone.join("target/debug/launcher"));
        second.args(["check", "guard"]).env("CARGO", "false").env_remove("CI");
        let (out, err) = printed(&second.output().expect("the launcher starts"));
        assert_eq!((out.as_str(), err.as_str()), ("quick check guard", ""));
        fs::write(clone.join("go"), "").expect("a file");
        wait_until("the build ends", || !clone.join("target/optimised-build.log").exists());
    }
}

#[test]
fn other_commands_wait_for_the_build_in_the_background() {
    let _alone = alone();
    let clone = clone();
    let clone = clone.path();
    assert_eq!(printed(&launch(clone, &[])).0, "quick");
    wait_until("the build begins", || builds(clone, "release") == 1);
    let mut grade = Command::new(clone.join("target/debug/launcher"));
    grade.args(["grade", "submissions"]).env("CARGO", clone.join("cargo")).env_remove("CI");
    let grade = grade.stdout(std::process::Stdio::piped()).spawn().expect("the launcher starts");
    fs::write(clone.join("go"), "").expect("a file");
    let output = grade.wait_with_output().expect("the launcher ends");
    assert_eq!(printed(&output).0, "release grade submissions");
}

#[test]
fn a_failed_build_is_shown() {
    let _alone = alone();
    let clone = clone();
    let clone = clone.path();
    fs::write(clone.join("fail"), "").expect("a file");
    assert_eq!(printed(&launch(clone, &[])).0, "quick");
    wait_until("the build begins", || builds(clone, "release") == 1);
    wait_until("the build has ended", || {
        let again = launch(clone, &["list"]);
        // as long as the lock is held, the quick build answers
        again.status.code() == Some(2) && printed(&again).1.contains("could not compile")
    });
    assert!(clone.join("target/optimised-build.log").exists());
}

#[test]
fn a_class_is_graded_by_the_optimised_build() {
    let _alone = alone();
    let clone = clone();
    let clone = clone.path();
    fs::write(clone.join("go"), "").expect("a file");
    assert_eq!(printed(&launch(clone, &["grade", "submissions"])).0, "release grade submissions");
    assert_eq!([builds(clone, "quick"), builds(clone, "release")], [0, 1]);
}
