//! Programs with one mistake each, `tests/programs/wrong`: what is said of it, and that nothing is said of the program
//! without the mistake.
//!
//! Needs a CUDA 13 compiler (`cargo checker setup` installs one) and the host's g++.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{fs, io};

/// Writes a program into a folder of its own and runs it there.
fn run(name: &str, source: &str, seed: u32) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    let file = format!("{name}.cu");
    fs::write(folder.path().join(&file), source).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_checker"));
    command.args(["run", "--seed", &seed.to_string(), &file]).env("NO_COLOR", "1");
    command.current_dir(folder.path()).output().expect("the checker runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Without the time that it took.
fn timeless(said: &str) -> String {
    let lines = said.lines().map(|line| match line.split_once("simulator · ") {
        Some((before, _)) => format!("{before}simulator\n"),
        None => format!("{line}\n"),
    });
    lines.collect()
}

/// A program of `tests/programs/wrong`, as it is or as it should be: lines that end with `// fixed: CODE` are CODE then.
fn twin(text: &str, fixed: bool) -> String {
    let line = |line: &str| match line.split_once("// fixed:") {
        Some((_, right)) if fixed => right.trim().to_owned() + "\n",
        Some((wrong, _)) => wrong.trim_end().to_owned() + "\n",
        None => line.to_owned() + "\n",
    };
    text.lines().map(line).collect()
}

fn programs() -> io::Result<Vec<PathBuf>> {
    let mut all = vec![];
    for entry in fs::read_dir(Path::new("tests/programs/wrong"))? {
        all.push(entry?.path());
    }
    all.sort();
    Ok(all)
}

/// Each mistake is told, in words that people have read; what repairs it silences everything.
#[test]
fn mistakes_are_told_and_repaired_programs_are_not() {
    let programs = programs().expect("a folder of programs");
    assert!(programs.len() >= 18, "{programs:?}");
    for path in programs {
        let source = fs::read_to_string(&path).expect("a program");
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let output = run(&name, &twin(&source, false), 0);
        let (printed, said) = (text(&output.stdout), timeless(&text(&output.stderr)));
        let code = output.status.code();
        assert!(!said.is_empty(), "{name}: nothing is said");
        let code = code.map_or_else(|| "none: a signal".to_owned(), |code| code.to_string());
        insta::assert_snapshot!(
            format!("wrong_{name}"),
            format!("exit code {code}\n--- printed\n{printed}--- said\n{said}")
        );
        let output = run(&name, &twin(&source, true), 0);
        let said = text(&output.stderr);
        assert_eq!((output.status.code(), said.as_str()), (Some(0), ""), "{name}, repaired");
    }
}

/// What is found does not depend on the order in which the device works.
#[test]
fn every_order_finds_the_same() {
    for name in ["two_streams", "neighbours", "writes_too_early", "managed_too_early"] {
        let path = format!("tests/programs/wrong/{name}.cu");
        let source = twin(&fs::read_to_string(path).expect("a program"), false);
        let said = |seed: u32| {
            let said = text(&run(name, &source, seed).stderr);
            let titles = said.lines().filter(|line| line.starts_with("error"));
            titles.map(ToOwned::to_owned).collect::<Vec<_>>()
        };
        let first = said(0);
        assert!(!first.is_empty(), "{name}");
        for seed in 1..5 {
            assert_eq!(said(seed), first, "{name}, seed {seed}");
        }
    }
}
