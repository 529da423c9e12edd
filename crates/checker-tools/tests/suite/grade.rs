//! `checker grade` with the real binary on small classes: bad input, a killed run, secret inputs,
//! and what students see.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use grading::record::{Kind, Outcome, Record, Status};

use crate::common::{Class, TWO, exit_and_output, repository, status};

/// A dry run says what grading would do with each submission, and leaves nothing behind.
#[test]
fn a_dry_run_says_what_grading_would_do() {
    let class = Class::new();
    class.write("grading.toml", TWO);
    class.write("roster.csv", "id\nada\nbob\ncharles\n");
    class.submit_solutions("ada", &["ch01_threads/add_one", "ch01_threads/guard"]);
    class.submit_solutions("bob", &["ch01_threads/guard"]);
    class.write("submissions/cut.tar.gz", [0x1f, 0x8b, 8, 0, 0, 0]);
    let options = ["--policy", "grading.toml", "--roster", "roster.csv"];
    let dry = || {
        let (code, out, errors) = class.grade(&[&options[..], &["--dry-run"]].concat());
        assert_eq!(code, 0, "{out}{errors}");
        out
    };
    let before = dry();
    let line = |text: &str, id: &str| {
        let mut lines = text.lines().filter(|line| line.trim_start().starts_with(id));
        lines.next().map(|line| line.trim().to_owned()).unwrap_or_else(|| panic!("{id}: {text}"))
    };
    assert!(line(&before, "ada").ends_with("2  runs 2 of 2 exercises"), "{before}");
    assert!(line(&before, "bob").ends_with("1  runs 1 of 2 exercises"), "{before}");
    assert!(line(&before, "cut").contains("not readable"), "{before}");
    assert!(before.contains("2 would run · 1 cannot be read"), "{before}");
    assert!(before.contains("1 on the roster submitted nothing: charles"), "{before}");
    assert!(!class.path("out").exists(), "a dry run writes nothing");

    assert_eq!(class.grade(&options).0, 0);
    let record = || fs::read(class.path("out/records/ada.json")).unwrap();
    let graded = record();
    assert!(line(&dry(), "ada").ends_with("unchanged"));
    class.write("grading.toml", format!("{TWO}points = 5\n"));
    let other = dry();
    assert!(line(&other, "ada").ends_with("new points, without running"), "{other}");
    class.submit_solutions("bob", &["ch01_threads/add_one"]);
    assert!(line(&dry(), "bob").ends_with("runs 2 of 2 exercises again"));
    assert_eq!(record(), graded);
}

/// An unreadable submission costs one clear line, and the other students are graded.
#[test]
fn unreadable_submissions_cost_one_line_and_the_rest_is_graded() {
    let class = Class::new();
    class.write("grading.toml", TWO);
    class.submit_solutions("ada", &["ch01_threads/add_one", "ch01_threads/guard"]);
    class.submit_solutions("O'Brien \"Bob\" =1+1", &["ch01_threads/add_one"]);
    class.submit_solutions("new\nline", &["ch01_threads/guard"]);
    class.submit_solutions("twice", &["ch01_threads/guard"]);
    class.write("submissions/twice.zip", "PK");
    class.write("submissions/empty.zip", "");
    class.write("submissions/cut.tar.gz", [0x1f, 0x8b, 8, 0, 0, 0]);
    class.write("submissions/strange/exercises/ch01_threads/no_such.cu", "int x;");
    class.write("submissions/binary/exercises/ch01_threads/guard.cu", b"\xff\xfe\0\0");
    class.write("submissions/blank/exercises/ch01_threads/guard.cu", "\n \n");
    let (code, out, errors) = class.grade(&["--policy", "grading.toml"]);
    assert_eq!(code, 0, "{out}{errors}");
    for what in ["twice", "empty.zip", "cut.tar.gz"] {
        let lines: Vec<&str> = errors.lines().filter(|line| line.contains(what)).collect();
        assert_eq!(lines.len(), 1, "{what}: {errors}");
        assert!(lines[0].starts_with("warning: "), "{lines:?}");
    }
    assert!(!errors.contains("panicked"), "{errors}");
    let ada = class.record("ada");
    assert_eq!((ada.score.points, ada.score.possible), (20.0, 20.0));
    let binary = class.record("binary");
    assert_eq!(status(&binary, "guard"), Status::Failed);
    assert_eq!(binary.exercises[1].report.as_ref().unwrap().slug, "unreadable-source");
    assert_eq!(status(&binary, "add_one"), Status::Missing);
    assert_eq!(class.record("blank").score.points, 0.0);
    let records = fs::read_dir(class.path("out/records")).unwrap().count();
    assert!(records >= 5, "{records}: {errors}");
    // a name that a spreadsheet would run as a formula, or that breaks a line, stays text
    let table = fs::read_to_string(class.path("out/grades.csv")).unwrap();
    assert!(!table.lines().any(|line| line.starts_with('=')), "{table}");
}

/// A mistake in the instructor's files is reported before anything is graded, with its place and a
/// way out.
#[test]
fn broken_policies_rosters_and_seeds_stop_before_anything_runs() {
    let class = Class::new();
    class.submit_solutions("ada", &["ch01_threads/guard"]);
    class.write("grading.toml", "title = \"a\"\npoint = 3\n");
    class.write("roster.csv", "name,section\nAda,1\n");
    class.write("secret.txt", "short\n");
    for (arguments, words) in [
        (&["--policy", "grading.toml"][..], &["grading.toml", "line 2", "points"][..]),
        (&["--policy", "none.toml"], &["none.toml"]),
        (&["--roster", "roster.csv"], &["roster.csv", "id"]),
        (&["--seed-file", "secret.txt"], &["secret.txt", "16"]),
        (&["--submitted-at", "yesterday"], &["yesterday", "2026-12-01"]),
        (&["--shard", "9/3"], &["9/3"]),
        (&["--plan", "slrum"], &["slrum", "slurm"]),
    ] {
        let (code, out, errors) = class.grade(arguments);
        assert_eq!(code, 2, "{arguments:?}: {out}{errors}");
        assert!(words.iter().all(|word| errors.contains(word)), "{arguments:?}: {errors}");
        assert!(!class.path("out/records/ada.json").exists(), "{arguments:?}");
    }
}

/// Every case also runs with secret inputs, and a student's page contains nothing that would
/// reproduce them.
#[test]
fn secret_inputs_are_run_and_stay_secret() {
    let class = Class::new();
    class.write("grading.toml", TWO);
    class.write("secret.txt", "a secret that is long enough\n");
    class.submit_solutions("ada", &["ch01_threads/guard"]);
    let (code, out, errors) =
        class.grade(&["--policy", "grading.toml", "--seed-file", "secret.txt"]);
    assert_eq!(code, 0, "{out}{errors}");
    let ada = class.record("ada");
    assert_eq!(status(&ada, "guard"), Status::Passed);
    let cases = ada.exercises[1].items.iter().filter(|item| item.kind == Kind::Case);
    let (hidden, public): (Vec<_>, Vec<_>) = cases.partition(|item| item.hidden);
    assert!(!hidden.is_empty());
    assert_eq!(hidden.len(), public.len());
    let page = fs::read_dir(class.path("out/students")).unwrap().flatten().next().unwrap();
    let page = fs::read_to_string(page.path()).unwrap();
    for item in hidden {
        let again = item.again.as_ref().unwrap();
        let seed = again.split("--seed ").nth(1).unwrap().split(' ').next().unwrap();
        assert!(!page.contains(seed), "{seed}");
    }
    let all = fs::read_to_string(class.path("out/records/ada.json")).unwrap() + &page;
    assert!(!all.contains("long enough"));
}

/// A file that is right with the public inputs, and with others does what their bits say, shows its
/// student the same whatever the secret is.
#[test]
fn nothing_that_a_student_sees_depends_on_secret_inputs() {
    let kernel = |body: &str| {
        format!(
            "extern \"C\" __global__ void guard(const float* a, float* out, int n) {{\n  \
             int i = threadIdx.x;\n  float x = i < n ? a[i] : 0;\n  \
             unsigned bits = __float_as_uint(x);\n{body}  if (i < n) out[i] = x + 10.0f;\n}}\n"
        )
    };
    let class = Class::new();
    class.write("grading.toml", TWO);
    let probe = kernel("  if (i == 0 && n > 0) printf(\"bits %u;\\n\", bits);\n");
    class.write("submissions/probe/exercises/ch01_threads/guard.cu", &probe);
    class.write("probe.cu", &probe);
    assert_eq!(class.grade(&["--policy", "grading.toml"]).0, 0);
    let cases = class.record("probe").exercises[1].items.clone();
    let known: Vec<String> = cases
        .iter()
        .filter(|item| item.kind == Kind::Case)
        .filter_map(|case| {
            let check = ["check", "guard", "--file", "probe.cu", "--case", &case.name];
            let (_, printed, _) = exit_and_output(&class.command(&check).output().unwrap());
            let (_, rest) = printed.split_once("bits ")?;
            Some(format!("bits != {}u", rest.split_once(';')?.0))
        })
        .collect();
    assert!(!known.is_empty());
    fs::remove_dir_all(class.path("submissions/probe")).unwrap();
    fs::remove_dir_all(class.path("out")).unwrap();
    let hostile = kernel(&format!(
        "  if (i == 0 && n > 0 && {}) {{\n    printf(\"%u\\n\", bits);\n    \
         if (bits & 1) out[n + bits % 8] = x; else out[0] = bits;\n    return;\n  }}\n",
        known.join(" && ")
    ));
    class.write("submissions/eve/exercises/ch01_threads/guard.cu", hostile);
    let shown = |secret: &str, show: &str| {
        class.write("grading.toml", format!("{TWO}[hidden]\nshow = \"{show}\"\n"));
        class.write("secret.txt", secret);
        let options = ["--policy", "grading.toml", "--seed-file", "secret.txt", "--again"];
        let (code, out, errors) = class.grade(&options);
        assert_eq!(code, 0, "{out}{errors}");
        assert_ne!(status(&class.record("eve"), "guard"), Status::Passed);
        let formats = ["html-student", "gradescope", "junit", "tap", "sarif", "prairielearn"];
        formats.map(|format| {
            let report = ["report", "out/records", "--format", format, "--for", "student"];
            let (code, text, errors) = exit_and_output(&class.command(&report).output().unwrap());
            assert_eq!(code, 0, "{errors}");
            // Gradescope keeps hidden tests back itself, and the public runs' times are no secret
            without_times(&visible(&text))
        })
    };
    for show in ["verdict", "nothing"] {
        let seen = ["one", "two", "three"]
            .map(|name| shown(&format!("a secret that is long enough: {name}"), show));
        let diagnostics: std::collections::BTreeSet<String> = class.record("eve").exercises[1]
            .items
            .iter()
            .filter(|item| item.hidden && item.outcome == Outcome::Failed)
            .map(|item| item.slug.clone())
            .collect();
        assert!(!diagnostics.is_empty(), "the secret runs fail");
        assert_eq!(seen[0], seen[1], "{show}");
        assert_eq!(seen[0], seen[2], "{show}");
    }
}

/// What Gradescope shows to students of a report in its format; other texts as they are.
fn visible(text: &str) -> String {
    let Ok(mut results) = serde_json::from_str::<serde_json::Value>(text) else {
        return text.to_owned();
    };
    if let Some(tests) = results.get_mut("tests").and_then(|tests| tests.as_array_mut()) {
        tests.retain(|test| test["visibility"] == "visible" || test.get("visibility").is_none());
    }
    results.to_string()
}

/// The text without moments and times of runs. A moment has to go first: of `datetime="2026-...Z"`
/// the second pattern would take the year alone.
fn without_times(text: &str) -> String {
    let patterns = [
        r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?Z?",
        r#"(time|duration_ms)("?: ?|=")[\d.]+|\d+(\.\d+)? m?s\b"#,
    ];
    patterns.into_iter().fold(text.to_owned(), |text, pattern| {
        regex::Regex::new(pattern).unwrap().replace_all(&text, "TIME").into_owned()
    })
}

/// Moments and durations of every format are found, whatever second the clock shows.
#[test]
fn times_are_left_out_of_compared_reports() {
    for (text, rest) in [
        (
            r#"<time datetime="2026-11-23T04:57:34Z">2026-11-23 04:57 UTC"#,
            r#"<time datetime="TIME">TIME UTC"#,
        ),
        (r#"<testcase time="0.512">"#, "<testcase TIME\">"),
        (r#"{"execution_time":0.5,"b":1}"#, r#"{"execution_TIME,"b":1}"#),
        ("duration_ms: 3.5\n", "TIME\n"),
        ("took 1.5 ms", "took TIME"),
    ] {
        assert_eq!(without_times(text), rest);
    }
}

/// A killed run keeps the records that it wrote, and the next run grades the rest to the same
/// grades. Unchanged submissions are not graded again.
#[test]
fn a_killed_run_is_resumed_to_the_same_grades() {
    let class = Class::new();
    class.write("grading.toml", TWO);
    class.write("secret.txt", "a secret that is long enough\n");
    let students = ["a", "b", "c", "d", "e", "f"];
    for student in students {
        class.submit_solutions(student, &["ch01_threads/add_one", "ch01_threads/guard"]);
    }
    let options = ["--policy", "grading.toml", "--seed-file", "secret.txt", "--jobs", "1"];
    let mut run = class
        .command(&[&["grade", "submissions", "--out", "out"], &options[..]].concat())
        .stderr(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    while !class.path("out/records/b.json").exists() && run.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    run.kill().unwrap();
    run.wait().unwrap();
    let before = fs::read(class.path("out/records/a.json")).unwrap();

    let (code, out, errors) = class.grade(&options);
    assert_eq!(code, 0, "{out}{errors}");
    assert!(out.contains("6 graded ("), "{out}");
    assert_eq!(fs::read(class.path("out/records/a.json")).unwrap(), before);
    let scores: Vec<f64> = students.iter().map(|id| class.record(id).score.points).collect();
    assert_eq!(scores, [20.0; 6]);

    let (_, out, _) = class.grade(&options);
    assert!(out.contains("6 of them before, and unchanged"), "{out}");
    class.write("submissions/c/exercises/ch01_threads/guard.cu", "int x;\n");
    let (_, out, _) = class.grade(&options);
    assert!(out.contains("5 of them before, and unchanged"), "{out}");
    let (was, now) = (class.record("a"), class.record("c"));
    assert_eq!((was.submission.attempt, now.submission.attempt), (1, 2));
    assert_eq!(now.score.points, 10.0);
}

/// Every student on the roster has a record and a row, so that tables are complete and a merge need
/// not wait. Absence follows only from a whole class, and no grade is taken away.
#[test]
fn students_without_a_submission_get_a_record() {
    let class = Class::new();
    class.write("grading.toml", TWO);
    class.write("roster.csv", "id,name\nada,Ada\ngrace,\"Hopper, Grace\"\ntwice,Two\n");
    class.submit_solutions("ada", &["ch01_threads/guard"]);
    class.submit_solutions("twice", &["ch01_threads/guard"]);
    class.write("submissions/twice.zip", "PK");
    let options = ["--policy", "grading.toml", "--roster", "roster.csv"];
    let (code, out, errors) = class.grade(&options);
    assert_eq!(code, 0, "{out}{errors}");
    assert!(out.contains("  1 graded · median 50 % · 1 not readable\n"), "{out}");
    assert!(out.contains("  1 on the roster submitted nothing: grace\n"), "{out}");
    let grace = class.record("grace");
    assert!(grace.submission.is_absent() && grace.score.complete);
    assert_eq!((grace.score.points, grace.score.possible), (0.0, 20.0));
    assert!(grace.exercises.iter().all(|exercise| exercise.status == Status::Missing));
    // only the instructor knows which one counts, and the table has a row all the same
    let twice = class.record("twice");
    assert!(twice.score.points == 0.0 && !twice.submission.is_absent());
    assert!(twice.flags[0].what == "refused" && twice.flags[0].detail.contains("2 submissions"));
    let table = fs::read_to_string(class.path("out/grades.csv")).unwrap();
    assert!(
        table.lines().any(|line| line.starts_with("grace,\"Hopper, Grace\",0,0,0,")),
        "{table}"
    );

    // a merge knows that student, too
    let merge = ["merge", "out", "--roster", "roster.csv", "--out", "merged"];
    let (code, out, errors) = exit_and_output(&class.command(&merge).output().unwrap());
    assert_eq!(code, 0, "{out}{errors}");
    let merged = fs::read_to_string(class.path("merged/grades.csv")).unwrap();
    assert!(merged.lines().any(|line| line.starts_with("twice,Two,0,")), "{merged}");

    // a misspelt id on the roster leaves nothing behind once it is corrected
    class.write("misspelt.csv", "id,name\nada,Ada\ngrcae,\"Hopper, Grace\"\n");
    class.grade(&["--policy", "grading.toml", "--roster", "misspelt.csv"]);
    assert!(class.path("out/records/grcae.json").exists());
    let (_, out, _) = class.grade(&options);
    assert!(out.contains("  1 on the roster submitted nothing: grace\n"), "{out}");
    assert!(!class.path("out/records/grcae.json").exists());
    assert_eq!(fs::read_dir(class.path("out/students")).unwrap().count(), 3);

    // again: nothing has changed
    let before = fs::read(class.path("out/records/grace.json")).unwrap();
    class.grade(&options);
    assert_eq!(fs::read(class.path("out/records/grace.json")).unwrap(), before);
    // the first submission is the first attempt, and its grade stays when the submission is removed
    class.submit_solutions("grace", &["ch01_threads/add_one"]);
    fs::remove_file(class.path("submissions/twice.zip")).unwrap();
    class.grade(&options);
    assert_eq!(class.record("grace").submission.attempt, 1);
    fs::remove_dir_all(class.path("submissions/grace")).unwrap();
    let (_, out, errors) = class.grade(&options);
    assert!(
        errors.contains("not among the submissions now: grace; its last grade stays"),
        "{errors}"
    );
    assert!(!out.contains("submitted nothing"), "{out}");
    assert_eq!(class.record("grace").score.points, 10.0);

    // a run for one student says nothing about the others
    let ada = ["grade", "submissions/ada", "--out", "one"];
    let run = class.command(&[&ada[..], &options].concat()).output();
    let (code, out, errors) = exit_and_output(&run.unwrap());
    assert_eq!(code, 0, "{out}{errors}");
    assert!(out.contains("  2 on the roster are not among these: grace, twice\n"), "{out}");
    assert_eq!(fs::read_dir(class.path("one/records")).unwrap().count(), 1);

    // in shards, merged without a plan: no student is missing
    fs::remove_dir_all(class.path("submissions/twice")).unwrap();
    for shard in ["1/2", "2/2"] {
        let shard = ["grade", "submissions", "--out", "shards", "--shard", shard];
        let run = class.command(&[&shard[..], &options].concat()).output();
        let (code, out, errors) = exit_and_output(&run.unwrap());
        assert_eq!(code, 0, "{out}{errors}");
    }
    let merge = ["merge", "shards", "--roster", "roster.csv", "--out", "all"];
    let (code, out, errors) = exit_and_output(&class.command(&merge).output().unwrap());
    assert_eq!(code, 0, "{out}{errors}");
    assert!(out.contains("3 of 3 students are graded"), "{out}");
    assert!(out.contains("submitted nothing: grace\nsubmitted nothing: twice\n"), "{out}");
}

/// Every failure in a record can be repeated with the command beside it.
/// A submission doesn't become late while others are graded.
#[test]
fn all_submissions_of_a_run_have_one_time() {
    let class = Class::new();
    class.write("grading.toml", TWO);
    for id in ["ada", "grace"] {
        class.submit_solutions(id, &["ch01_threads/guard"]);
    }
    let (code, out, errors) = class.grade(&["--policy", "grading.toml", "--jobs", "1"]);
    assert_eq!(code, 0, "{out}{errors}");
    let [ada, grace] = ["ada", "grace"].map(|id| class.record(id).submission.at);
    assert_eq!(ada, grace);
}

#[test]
fn the_command_of_a_failure_repeats_it() {
    let class = Class::new();
    class.write("grading.toml", TWO);
    let mutant = mutants::find(&repository(), "guard/adds_one").unwrap();
    class.write("submissions/a b/exercises/ch01_threads/guard.cu", mutant.source);
    let (code, out, errors) = class.grade(&["--policy", "grading.toml"]);
    assert_eq!(code, 0, "{out}{errors}");
    let record = fs::read_dir(class.path("out/records")).unwrap().flatten().next().unwrap();
    let record: Record = serde_json::from_slice(&fs::read(record.path()).unwrap()).unwrap();
    let failed =
        record.exercises[1].items.iter().find(|item| item.outcome == Outcome::Failed).unwrap();
    let again = failed.again.as_ref().unwrap();
    let binary = format!("'{}' ", env!("CARGO_BIN_EXE_checker-tools"));
    let script = again.replacen("checker ", &binary, 1);
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(class.folder.path())
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let (code, out, errors) = exit_and_output(&output);
    assert_eq!(code, 1, "{again}: {out}{errors}");
    assert!(out.contains(&format!("error[{}]", failed.slug)), "{out}");
}

/// A `checker-worker` that passes everything on to the real one, but ends with nonsense as soon as
/// it has read the mark, also when a read ends within it. It is Python, because it has to be a file
/// that can be started.
const FRAGILE_WORKER: &str = r#"#!/usr/bin/env python3
import os, subprocess, sys, threading
REAL, MARK = "@REAL@", b"@MARK@"
if len(sys.argv) > 1:
    os.execv(REAL, [REAL, *sys.argv[1:]])
real = subprocess.Popen([REAL], stdin=subprocess.PIPE)
end = b""
while True:
    read = os.read(0, 1 << 20)
    seen = end + read
    end = seen[-len(MARK):]
    if MARK in seen:
        os.write(1, b"this is no reply to anything")
        os._exit(0)
    if not read:
        real.stdin.close()
        sys.exit(real.wait())
    real.stdin.write(read)
    real.stdin.flush()
"#;

/// A file on which the checker fails each time gets a verdict when the exercise's solution can be
/// run, because then the file is the cause. When nothing can be run, nobody loses a point.
#[test]
fn what_a_file_causes_is_a_verdict_about_the_file() {
    use std::os::unix::fs::PermissionsExt as _;
    let class = Class::new();
    class.write("grading.toml", "exercises = [\"guard\"]\n");
    class.submit_solutions("ada", &["ch01_threads/guard"]);
    let text = fs::read_to_string(repository().join("solutions/ch01_threads/guard.cu")).unwrap();
    // the worker only reads a text that no earlier test has compiled
    let mark = format!("breaks-the-worker {}", class.folder.path().display());
    let hostile = format!("// {text}\n// {mark}\n");
    class.write("submissions/mallory/exercises/ch01_threads/guard.cu", hostile);
    let built = Path::new(env!("CARGO_BIN_EXE_checker-tools"));
    let graded = |mark: &str, out: &str| {
        let worker = FRAGILE_WORKER
            .replace("@REAL@", &built.with_file_name("checker-worker").display().to_string())
            .replace("@MARK@", mark);
        class.write("worker", worker);
        fs::set_permissions(class.path("worker"), fs::Permissions::from_mode(0o755)).unwrap();
        class.copy_program(&class.path("worker"), "bin/checker-worker");
        class.copy_program(built, "bin/checker-tools");
        let output = Command::new(class.path("bin/checker-tools"))
            .current_dir(class.folder.path())
            .env("NO_COLOR", "1")
            .args(["grade", "submissions", "--out", out, "--policy", "grading.toml"])
            .args(["--sandbox", "off"])
            .output();
        exit_and_output(&output.unwrap())
    };
    let (code, out, errors) = graded(&mark, "out");
    assert_eq!(code, 0, "{out}{errors}");
    assert_eq!(status(&class.record("ada"), "guard"), Status::Passed);
    let record = class.record("mallory");
    assert_eq!(status(&record, "guard"), Status::Failed);
    let report = record.exercises[0].report.as_ref().unwrap();
    let how = format!("{} {}", report.title, report.notes.join(" "));
    assert!(how.contains("failed on this file each time, and not on the solution"), "{how}");

    // in each kernel's PTX
    let (code, out, errors) = graded(".visible", "later");
    assert_eq!(code, 3, "{out}{errors}");
    for student in ["mallory", "ada"] {
        let text = fs::read(class.path(&format!("later/records/{student}.json"))).unwrap();
        let record: Record = serde_json::from_slice(&text).unwrap();
        assert_eq!(status(&record, "guard"), Status::NotGraded, "{student}");
    }
}

/// A right file gets points for speed if the policy gives some: without a GPU, by the least times.
/// Another policy gives other points without a run, and one that asks for speeds for the first time
/// measures them.
#[test]
fn speed_gives_points() {
    let class = Class::new();
    let of = "exercises = [\"matrix_add_2d\"]\nleaderboard = true\n[credit]\n";
    class.write("grading.toml", of);
    class.submit_solutions("ada", &["ch01_threads/matrix_add_2d"]);
    let skeleton = repository().join("exercises/ch01_threads/matrix_add_2d.cu");
    let text = fs::read(skeleton).unwrap();
    class.write("submissions/bob/exercises/ch01_threads/matrix_add_2d.cu", text);
    let grade = || {
        let (code, out, errors) = class.grade(&["--policy", "grading.toml"]);
        assert_eq!(code, 0, "{out}{errors}");
        let read = |id: &str| {
            let path = class.path(&format!("out/records/{id}.json"));
            serde_json::from_slice::<Record>(&fs::read(path).unwrap()).unwrap()
        };
        (read("ada"), read("bob"), out)
    };
    assert!((grade().0.score.points - 10.0).abs() < 1e-9);

    class.write("grading.toml", format!("{of}speed_bonus = 3\n"));
    let (ada, bob, _) = grade();
    let speed = |record: &Record| {
        let mut items = record.exercises.iter().flat_map(|exercise| &exercise.items);
        items.find(|item| item.kind == Kind::Speed).cloned()
    };
    let item = speed(&ada).expect("a speed");
    let known = item.speed.expect("it was measured");
    assert!(!known.measured && (known.of_solution - 1.0).abs() < 1e-9, "{known:?}");
    assert!((ada.score.points - 13.0).abs() < 1e-9, "{:?}", ada.score);
    assert!(speed(&bob).is_none(), "a file that isn't right has no speed");
    let table = fs::read_to_string(class.path("out/speed.csv")).unwrap();
    assert!(table.contains("\nmatrix_add_2d,1,ada,,") && !table.contains("bob"), "{table}");
    let page = fs::read_dir(class.path("out/students")).unwrap().flatten();
    let pages = page.filter_map(|page| fs::read_to_string(page.path()).ok());
    let shown = pages.filter(|page| page.contains("100 % of the solution")).count();
    assert_eq!(shown, 1, "ada's page shows the speed");

    class.write("grading.toml", format!("{of}speed_bonus = 3\nspeed_full = 1.5\n"));
    let (ada, _, out) = grade();
    assert!((ada.score.points - 11.5).abs() < 1e-9, "{:?}", ada.score);
    assert!(out.contains("0 graded") || !out.contains("1 graded"), "nothing runs again: {out}");
}
