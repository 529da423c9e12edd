//! The programs of `tests/programs/wrong`, each with one mistake. The checker must report the
//! mistake, and must report nothing about the fixed program.
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

/// The report without the time that the run took.
fn without_time(report: &str) -> String {
    let lines = report.lines().map(|line| match line.split_once("simulator · ") {
        Some((before, _)) => format!("{before}simulator\n"),
        None => format!("{line}\n"),
    });
    lines.collect()
}

/// A program of `tests/programs/wrong` as it is, or fixed: a line that ends with `// fixed: CODE`
/// is then replaced with CODE.
fn variant(text: &str, fixed: bool) -> String {
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

/// Each mistake is reported as in its snapshot, and the fixed program has no report.
#[test]
fn mistakes_are_reported_and_fixed_programs_are_not() {
    let programs = programs().expect("a folder of programs");
    assert!(programs.len() >= 18, "{programs:?}");
    for path in programs {
        let source = fs::read_to_string(&path).expect("a program");
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let output = run(&name, &variant(&source, false), 0);
        let (printed, report) = (text(&output.stdout), without_time(&text(&output.stderr)));
        let code = output.status.code();
        assert!(!report.is_empty(), "{name}: nothing is reported");
        let code = code.map_or_else(|| "none: a signal".to_owned(), |code| code.to_string());
        insta::assert_snapshot!(
            format!("wrong_{name}"),
            format!("exit code {code}\n--- printed\n{printed}--- said\n{report}")
        );
        let output = run(&name, &variant(&source, true), 0);
        let report = text(&output.stderr);
        assert_eq!((output.status.code(), report.as_str()), (Some(0), ""), "{name}, fixed");
    }
}

/// The findings do not depend on the order in which the device works.
#[test]
fn every_order_has_the_same_findings() {
    for name in ["two_streams", "neighbours", "writes_too_early", "managed_too_early"] {
        let path = format!("tests/programs/wrong/{name}.cu");
        let source = variant(&fs::read_to_string(path).expect("a program"), false);
        let titles = |seed: u32| {
            let report = text(&run(name, &source, seed).stderr);
            let titles = report.lines().filter(|line| line.starts_with("error"));
            titles.map(ToOwned::to_owned).collect::<Vec<_>>()
        };
        let first = titles(0);
        assert!(!first.is_empty(), "{name}");
        for seed in 1..5 {
            assert_eq!(titles(seed), first, "{name}, seed {seed}");
        }
    }
}
