//! The commands that run no kernel.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cli::common::{Workbook, checker, run};

/// A mistake on the command line ends with exit code 2 and a message that says what to do.
#[test]
fn mistakes_on_the_command_line() {
    let workbook = Workbook::new();
    for (args, says) in [
        (&["check", "blcks"][..], "did you mean `blocks`"),
        (&["hint", "grid-stride"], "did you mean `grid_stride`"),
        (&["reset", "zzz"], "`checker list`"),
        (&["check", "14"], "the chapters are 1 to 13"),
        (&["blocks"], "check blocks`?"),
        (&["explain", "warp"], "glossary"),
        (&["explain", "race"], "`global-race`"),
        (&["explain", "shared-rase"], "did you mean `shared-race`"),
        (&["explain", "zzz"], "lists them"),
        (&["check", "--all", "blocks"], "--all"),
        (&["check", "--backend", "tpu"], "gpu"),
        (&["check", "blocks", "--seed", "x"], "--seed"),
        (&["frobnicate"], "frobnicate"),
        (&["dev", "check"], "repository"),
    ] {
        let ran = workbook.run(args);
        assert_eq!(ran.code, 2, "{args:?}: {ran:?}");
        assert!(ran.err.contains(says), "{args:?}: {ran:?}");
        assert_eq!(ran.out, "", "{args:?}: errors belong on stderr");
    }
}

/// Help succeeds and lists the commands for learners. The commands for authors have a help of their
/// own.
#[test]
fn help() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ran = run(checker(folder.path()).arg("-h"));
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    for command in [
        "list", "check", "watch", "profile", "trace", "hint", "reset", "solution", "explain",
        "doctor", "setup", "book", "init",
    ] {
        assert!(ran.out.lines().any(|line| line.trim_start().starts_with(command)), "{command}");
    }
    assert!(!ran.out.contains("  worker ") && !ran.out.contains("  dev "));
    assert!(ran.out.contains("checker dev --help"));
    for args in [
        &["check", "--help"][..],
        &["explain", "--help"],
        &["profile", "--help"],
        &["trace", "--help"],
        &["init", "--help"],
        &["dev", "ptx", "--help"],
    ] {
        let ran = run(checker(folder.path()).args(args));
        assert!(ran.code == 0 && ran.out.contains("Example"), "{args:?}");
    }
}

/// The commands find the workbook from any folder inside it, and elsewhere the error says what to
/// do.
#[test]
fn the_workbook_is_found_from_inside() {
    let workbook = Workbook::new();
    let inside = workbook.root().join("exercises/ch01_threads");
    let ran = run(checker(&inside).arg("list"));
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("double_it") && ran.out.contains("0 of "), "{ran:?}");

    let outside = tempfile::tempdir().expect("a temporary folder");
    let ran = run(checker(outside.path()).arg("list"));
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("checker init"), "{ran:?}");
}

/// The texts of all files below a folder.
fn texts(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            texts(&path, found);
        } else if let Ok(text) = fs::read_to_string(&path) {
            found.push((path, text));
        }
    }
}

/// A reader of the files that `init` writes sees no marker of the book's preprocessor.
#[test]
fn init_writes_nothing_raw() {
    let workbook = Workbook::new();
    let mut found = Vec::new();
    texts(&workbook.root(), &mut found);
    assert!(found.len() > 200, "only {} files: the test looks at the wrong thing", found.len());
    let raw: Vec<&PathBuf> =
        found.iter().filter(|(_, text)| text.contains("{{#")).map(|(path, _)| path).collect();
    assert!(raw.is_empty(), "{raw:?}");
}

/// `init` writes the exercises and the listings, adds only missing files, and refuses a folder with
/// other files.
#[test]
fn init() {
    let workbook = Workbook::new();
    assert!(workbook.root().join("book/examples/ch01/hello.cu").is_file());
    assert!(!workbook.root().join("solutions").exists(), "solutions are shown by `solution`");
    fs::write(workbook.exercise("guard"), "mine").expect("writable");
    fs::remove_file(workbook.exercise("blocks")).expect("there");

    let ran = workbook.run(&["init", "."]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("1 missing file"), "{ran:?}");
    assert_eq!(fs::read_to_string(workbook.exercise("guard")).expect("there"), "mine");
    assert!(workbook.exercise("blocks").is_file());

    let foreign = tempfile::tempdir().expect("a temporary folder");
    fs::write(foreign.path().join("thesis.tex"), "").expect("writable");
    let ran = run(checker(foreign.path()).args(["init", "."]));
    assert_eq!(ran.code, 2, "{ran:?}");
    assert_eq!(fs::read_dir(foreign.path()).expect("readable").count(), 1, "nothing was written");
}

/// Each call shows one more hint, across calls; after the last one, all of them.
#[test]
fn hints_come_one_at_a_time() {
    let workbook = Workbook::new();
    let first = workbook.run(&["hint", "blocks"]).out;
    let second = workbook.run(&["hint", "blocks"]).out;
    assert!(first.contains("hint 1 of") && !first.contains("hint 2 of"), "{first}");
    assert!(second.contains("hint 2 of") && !second.contains("hint 1 of"), "{second}");
    let unnamed = workbook.run(&["hint"]).out;
    assert!(unnamed.contains("add_one hint 1 of"), "of the first open exercise: {unnamed}");
    for _ in 0..10 {
        workbook.run(&["hint", "blocks"]);
    }
    let after = workbook.run(&["hint", "blocks"]).out;
    assert!(after.contains("hint 1 of") && after.contains("hint 3 of"), "{after}");
}

/// `reset` loses no work: the file that it names has the old contents, byte for byte.
#[test]
fn reset_keeps_a_backup() {
    let workbook = Workbook::new();
    let original = fs::read(workbook.exercise("guard")).expect("there");
    let ran = workbook.run(&["reset", "guard"]);
    assert!(ran.code == 0 && ran.out.contains("original already"), "{ran:?}");

    fs::write(workbook.exercise("guard"), b"mine \xff").expect("writable");
    let ran = workbook.run(&["reset", "guard"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(fs::read(workbook.exercise("guard")).expect("there"), original);
    let backup = ran.out.split_whitespace().find(|word| word.ends_with(".cu")).expect("its place");
    assert_eq!(fs::read(workbook.root().join(backup)).expect("the backup"), b"mine \xff");

    // Each copy has a name of its own.
    for version in ["first", "second", "third"] {
        fs::write(workbook.exercise("guard"), version).expect("writable");
        let ran = workbook.run(&["reset", "guard"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let copy =
            ran.out.split_whitespace().find(|word| word.ends_with(".cu")).expect("its place");
        let kept = fs::read_to_string(workbook.root().join(copy)).expect("the backup");
        assert_eq!(kept, version, "{ran:?}");
    }

    fs::remove_file(workbook.exercise("guard")).expect("there");
    assert_eq!(workbook.run(&["reset", "guard"]).code, 0);
    assert_eq!(fs::read(workbook.exercise("guard")).expect("there"), original);
}

/// A solution stays hidden before a pass, unless it is requested with `--spoil`.
#[test]
fn solutions_stay_hidden() {
    let workbook = Workbook::new();
    let ran = workbook.run(&["solution", "blocks"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.out.contains("--spoil") && !ran.out.contains("__global__"), "{ran:?}");
    let ran = workbook.run(&["solution", "blocks", "--spoil"]);
    assert!(ran.code == 0 && ran.out.contains("__global__ void blocks"), "{ran:?}");
}

/// A damaged line of the progress file is reported with its number; the other lines are kept, and
/// the command runs.
#[test]
fn a_damaged_progress_file_does_not_stop_a_command() {
    let workbook = Workbook::new();
    let hash = "0".repeat(64);
    let text = format!("passed double_it {hash}\npassed guard\n\u{0}\u{1}\npassed blocks {hash}\n");
    fs::write(workbook.progress(), text).expect("writable");
    let ran = workbook.run(&["list"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("2 of "), "{ran:?}");
    assert!(ran.err.contains("progress.txt:2") && ran.err.contains("progress.txt:3"), "{ran:?}");

    workbook.run(&["hint", "guard"]);
    let saved = fs::read_to_string(workbook.progress()).expect("there");
    assert!(saved.contains("passed guard\n") && saved.contains("hints guard 1\n"), "{saved}");

    fs::remove_file(workbook.progress()).expect("there");
    fs::create_dir(workbook.progress()).expect("a folder in its place");
    let ran = workbook.run(&["hint", "guard"]);
    assert!(ran.code == 0 && ran.err.contains("progress was not saved"), "{ran:?}");
}

/// Redirected output is plain text, without colours and without cursor movements.
#[test]
fn without_a_terminal_there_are_no_escapes() {
    let workbook = Workbook::new();
    for args in [
        &["list"][..],
        &["hint", "guard"],
        &["explain", "shared-race"],
        &["doctor"],
        &["check", "--all"],
        &["nonsense"],
        &[],
    ] {
        let ran = workbook.run(args);
        assert!(!ran.out.contains('\x1b') && !ran.err.contains('\x1b'), "{args:?}: {ran:?}");
        assert!(!ran.out.contains('\r'), "{args:?}: {ran:?}");
    }
}

/// Every diagnostic has a page, and the list has a sentence for each, wrapped beside its name.
#[test]
fn explain() {
    let workbook = Workbook::new();
    let list = workbook.run(&["explain"]);
    assert!(list.code == 0 && list.out.contains("shared-race"), "{list:?}");
    let lines = || list.out.lines().take_while(|line| !line.is_empty());
    assert!(lines().all(|line| line.chars().count() <= 80), "{list:?}");
    for line in lines().filter(|line| !line.starts_with(' ')) {
        let (slug, sentence) = line.split_once(' ').expect("a name and a sentence");
        assert!(sentence.trim().len() > 10, "{line}");
        let page = workbook.run(&["explain", slug]);
        assert!(page.code == 0 && page.out.len() > sentence.len(), "{slug}");
    }
}

/// `reset` neither overwrites nor waits for something that is not a plain file: a folder, a link to
/// itself, a pipe.
#[cfg(unix)]
#[test]
fn reset_leaves_what_it_cannot_back_up() {
    let workbook = Workbook::new();
    let file = workbook.exercise("blocks");
    let refuses = || {
        let ran = workbook.run(&["reset", "blocks"]);
        assert!(ran.code >= 2 && ran.err.contains("move it away first"), "{ran:?}");
    };
    fs::remove_file(&file).expect("there");
    fs::create_dir(&file).expect("writable");
    refuses();
    fs::remove_dir(&file).expect("empty");
    std::os::unix::fs::symlink("blocks.cu", &file).expect("writable");
    refuses();
    fs::remove_file(&file).expect("there");
    let made = Command::new("mkfifo").arg(&file).status();
    assert!(made.expect("mkfifo is there").success());
    refuses();
    fs::remove_file(&file).expect("there");
    assert_eq!(workbook.run(&["reset", "blocks"]).code, 0);
}

/// With `--format json`, stdout is a JSON document even when nothing was checked; the reason is on
/// stderr.
#[test]
fn json_without_a_check() {
    let workbook = Workbook::new();
    for args in [&["check", "nosuch"][..], &["check", "blocks", "--case", "nosuch"]] {
        let ran = run(checker(&workbook.root()).args(args).args(["--format", "json"]));
        assert_eq!(ran.code, 2, "{ran:?}");
        let parsed: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
        assert_eq!(parsed["reports"], serde_json::json!([]));
        assert!(ran.err.starts_with("error: "), "{ran:?}");
    }
}

/// `dev ptx` runs a PTX file. It writes the output buffer and prints the observations as JSON, and
/// its exit code distinguishes a wrong path from wrong PTX.
#[test]
fn ptx_by_hand() {
    const DOUBLE: &str = "
.version 9.0
.target sm_75
.address_size 64
.visible .entry twice(.param .u64 in, .param .u64 out)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [out];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    ld.global.u32 %r2, [%rd4];
    add.s32 %r3, %r2, %r2;
    st.global.u32 [%rd5], %r3;
    ret;
}
";
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    fs::write(at("twice.ptx"), DOUBLE).expect("writable");
    fs::write(at("garbage.ptx"), "no PTX at all").expect("writable");
    let input: Vec<u8> = (0..64_u32).flat_map(|i| (i * 3).to_le_bytes()).collect();
    fs::write(at("in"), input).expect("writable");
    let ptx = |file: &str, entry: &str| {
        let args = ["--grid", "1,1,1", "--block", "64,1,1", "--shared", "0", "--in", "in"];
        let out = ["--out", "256", "--out-file", "out"];
        let mut command = checker(folder.path());
        command.args(["dev", "ptx", file, "--entry", entry]).args(args).args(out);
        run(&mut command)
    };

    let ran = ptx("twice.ptx", "twice");
    // where only this package is tested, cargo builds the tools for the first call
    let built = ran.err.starts_with("Compiling the tools") && ran.err.lines().count() == 1;
    assert!(ran.code == 0 && (ran.err.is_empty() || built), "{}: {}", ran.code, ran.err);
    let seen: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(seen["completed"], true);
    assert_eq!(seen["totals"]["instructions"], 20, "ten instructions, two warps");
    let wanted: Vec<u8> = (0..64_u32).flat_map(|i| (i * 6).to_le_bytes()).collect();
    assert_eq!(fs::read(at("out")).expect("written"), wanted);

    for (file, entry, code, says) in [
        ("twice.ptx", "thrice", 1, "twice"),
        ("garbage.ptx", "twice", 1, "line 1"),
        ("missing.ptx", "twice", 2, "missing.ptx"),
    ] {
        let ran = ptx(file, entry);
        assert_eq!(ran.code, code, "{file} {entry}: {ran:?}");
        assert!(ran.err.contains(says) && ran.out.is_empty(), "{file} {entry}: {ran:?}");
    }
}
