//! Pythons with and without pip.
#![cfg(unix)]

use super::*;

/// A folder of programs, so that the search does not find those of this machine.
fn programs(scripts: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("temporary folder");
    for (name, script) in scripts {
        crate::toolchain::scripts::write(
            &folder.path().join(name),
            &format!("#!/bin/sh\n{script}\n"),
        );
    }
    folder
}

#[test]
fn without_python_the_message_names_one_command() {
    let nothing = programs(&[]);
    let two = programs(&[("python", "echo 2.7.18")]);
    for folder in [nothing, two] {
        let error = find(&[folder.path().to_path_buf()]).expect_err("no python 3");
        assert!(matches!(error, Error::NoPython { .. }), "{error:?}");
        assert!(error.to_string().contains("install it:"));
    }
}

/// A Python without pip does not hide one that has it. If it is the only one, it has its own
/// message.
#[test]
fn python_without_pip() {
    let bare = programs(&[("python3", "[ \"$1\" = -c ] && echo 3.12.1")]);
    let full = programs(&[(
        "python",
        "[ \"$1\" = -c ] && echo 3.11.7 || echo 'pip 23.2.1 from /usr/lib (python 3.11)'",
    )]);
    let (bare, full) = (bare.path().to_path_buf(), full.path().to_path_buf());
    let found = find(&[bare.clone(), full.clone()]).expect("the second has pip");
    assert_eq!((found.version.as_str(), found.pip.as_str()), ("3.11.7", "23.2.1"));
    assert_eq!(found.program, full.join("python"));
    assert!(matches!(find(std::slice::from_ref(&bare)), Err(Error::NoPip { .. })));
    assert!(matches!(find_or_make(&[bare], &full.join("venv")), Err(Error::NoPip { .. })));
}

/// A pip that does not start, as with a damaged configuration, is not taken for a missing one.
#[test]
fn a_pip_that_does_not_start() {
    let folder = programs(&[(
        "python3",
        "[ \"$1\" = -c ] && echo 3.12.1 && exit\n\
         echo 'Configuration file could not be loaded.' >&2\n\
         echo 'File contains no section headers.' >&2; exit 2",
    )]);
    let error = find(&[folder.path().to_path_buf()]).expect_err("pip fails");
    assert!(matches!(error, Error::BrokenPip { .. }), "{error:?}");
    assert!(error.to_string().contains("pip: File contains no section headers."), "{error}");

    let absent = programs(&[(
        "python3",
        "[ \"$1\" = -c ] && echo 3.12.1 && exit\necho '/usr/bin/python3: No module named pip' >&2; exit 1",
    )]);
    let error = find(&[absent.path().to_path_buf()]).expect_err("no pip");
    assert!(matches!(error, Error::NoPip { .. }), "{error:?}");
}
