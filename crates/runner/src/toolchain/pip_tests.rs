//! Real failures of pip, each with the advice that fits.

use super::*;

fn explained(stderr: &str) -> Error {
    explain(stderr, "exit status: 1".to_owned(), Path::new("/cache"))
}

#[test]
fn no_network() {
    let stderr = "\
WARNING: Retrying (Retry(total=0, connect=None, read=None, redirect=None, status=None)) after connection broken by \
'NewConnectionError('<pip._vendor.urllib3.connection.HTTPSConnection object at 0x7f2>: Failed to establish a new \
connection: [Errno -3] Temporary failure in name resolution')': /simple/nvidia-cuda-nvrtc/
ERROR: Could not find a version that satisfies the requirement nvidia-cuda-nvrtc==13.0.88 (from versions: none)
ERROR: No matching distribution found for nvidia-cuda-nvrtc==13.0.88
";
    let error = explained(stderr);
    let expected = "pip could not reach its package index: Failed to establish a new connection: [Errno -3] Temporary \
                    failure in name resolution\n";
    assert!(matches!(error, Error::Offline { .. }), "{error:?}");
    assert!(error.to_string().starts_with(expected), "{error}");
}

#[test]
fn index_without_the_wheel() {
    let stderr = "\
ERROR: Could not find a version that satisfies the requirement nvidia-cuda-nvrtc==13.0.88 (from versions: 12.9.86)
ERROR: No matching distribution found for nvidia-cuda-nvrtc==13.0.88
";
    assert!(matches!(explained(stderr), Error::NotOffered { .. }));
}

#[test]
fn altered_wheel() {
    let stderr = "\
ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. If you have updated the package versions, \
please update the hashes. Otherwise, examine the package contents carefully; someone may have tampered with them.
    nvidia-cuda-crt==13.0.88 from https://example.org/nvidia_cuda_crt-13.0.88.whl:
";
    assert!(matches!(explained(stderr), Error::Hash));
}

#[test]
fn full_disk() {
    let stderr =
        "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device\n";
    let error = explained(stderr);
    assert!(matches!(error, Error::NoSpace { .. }));
    assert!(error.to_string().contains("CUDA_WORKBOOK_CACHE"));
}

/// Any other failure is shown in pip's words, without control characters.
#[test]
fn something_new() {
    let error = explained("one\n\nERROR: a \u{1b}[31mnew\u{7} failure\n").to_string();
    assert!(error.contains("pip: a [31mnew failure"), "{error}");
    assert!(!error.contains('\u{1b}'));
}

/// A folder of programs, so that the search does not find those of this machine.
#[cfg(unix)]
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

#[cfg(unix)]
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
#[cfg(unix)]
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
