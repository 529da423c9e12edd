//! Rules beyond one submission of one student: groups, several submissions, free days of a term,
//! schemas, pseudonyms, former years and statistics, with the real program.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use grading::record::{Counted, Record};

use crate::common::{Class, TWO, exit_and_output, repository};

fn points(class: &Class, student: &str) -> f64 {
    class.record(student).score.points
}

fn graded(class: &Class, options: &[&str]) -> String {
    let (code, out, errors) = class.grade(options);
    assert_eq!(code, 0, "{out}{errors}");
    out + &errors
}

fn run(command: &mut Command) -> String {
    let (code, out, errors) = exit_and_output(&command.output().unwrap());
    assert_eq!(code, 0, "{out}{errors}");
    out
}

/// Each member of a group has a record and a row of the group's one submission, with the member's
/// own exceptions, and no member counts as absent.
#[test]
fn a_group_has_one_submission_and_a_record_for_each() {
    let class = Class::new();
    class.write("grading.toml", format!("{TWO}[students.bob]\nexcused = [\"add_one\"]\n"));
    class.write("roster.csv", "id,Team\nada,red\nbob,red\ncarl,\ndora,blue\n");
    class.write("groups.csv", "group,id\nred,ada\nred,bob\nblue,dora\n");
    class.write("secret.txt", "a secret that is long enough\n");
    class.submit_solutions("red", &["ch01_threads/guard"]);
    class.submit_solutions("carl", &["ch01_threads/guard"]);
    let options =
        ["--policy", "grading.toml", "--roster", "roster.csv", "--seed-file", "secret.txt"];
    let by_file = [&options[..], &["--groups", "groups.csv"]].concat();
    let out = graded(&class, &by_file);
    assert!(out.contains("1 on the roster submitted nothing: dora"), "{out}");
    let (ada, bob) = (class.record("ada"), class.record("bob"));
    assert_eq!(ada.submission.group, bob.submission.group);
    assert_eq!(ada.submission.group.as_ref().unwrap().members, ["ada", "bob"]);
    assert_eq!(class.record("carl").submission.group, None);
    assert_eq!((ada.score.possible, bob.score.possible), (20.0, 10.0));
    assert_eq!((points(&class, "ada"), points(&class, "bob")), (10.0, 10.0));
    let seeds = |record: &Record| -> Vec<Option<String>> {
        let of =
            |again: &String| Some(again.split("--seed ").nth(1)?.split(' ').next()?.to_owned());
        record.exercises[1].items.iter().map(|item| item.again.as_ref().and_then(of)).collect()
    };
    assert_eq!(seeds(&ada), seeds(&bob), "equal files have equal inputs");
    let table = fs::read_to_string(class.path("out/grades.csv")).unwrap();
    for id in ["ada,", "bob,", "carl,", "dora,"] {
        assert!(table.lines().any(|line| line.starts_with(id)), "{id}: {table}");
    }
    let pages = fs::read_dir(class.path("out/students")).unwrap().flatten();
    let pages: Vec<String> = pages.map(|page| fs::read_to_string(page.path()).unwrap()).collect();
    assert_eq!(pages.iter().filter(|page| page.contains("red: ada, bob")).count(), 2);

    // by a column of the roster, under a member's id: the same grades, without a run
    fs::rename(class.path("submissions/red"), class.path("submissions/bob")).unwrap();
    let by_column = [&options[..], &["--group-column", "team"]].concat();
    let out = graded(&class, &by_column);
    assert!(out.contains("unchanged"), "{out}");
    // without groups it is bob's alone
    assert!(graded(&class, &options).contains("submitted nothing") || class.path("out").exists());

    for (file, words) in [
        (
            "group,id\nred,adda\n",
            "groups.csv: line 2: `adda` is not on the roster; did you mean `ada`?",
        ),
        ("group,id\nred,ada\nblue,ada\n", "groups.csv: line 3: `ada` is already in line 2"),
        ("id\nada\n", "groups.csv: line 1: no column is called `group`"),
    ] {
        class.write("groups.csv", file);
        let (code, out, errors) = class.grade(&by_file);
        assert_eq!(code, 2, "{out}{errors}");
        assert!(errors.contains(words), "{errors}");
    }
    let (code, _, errors) = class.grade(&[&options[..], &["--group-column", "teem"]].concat());
    assert!(code == 2 && errors.contains("no column is called `teem`"), "{errors}");
}

/// Which of several attempts counts follows the policy, is said on the student's page, and can be
/// changed without a run.
#[test]
fn the_attempt_that_counts_follows_the_policy() {
    let class = Class::new();
    let solution =
        fs::read_to_string(repository().join("solutions/ch01_threads/guard.cu")).unwrap();
    let wrong = mutants::find(&repository(), "guard/less_or_equal").unwrap().source;
    let attempt = |at: &str| format!("submissions/W_ada_attempt_2026-10-0{at}-12-00-00_guard.cu");
    class.write(&attempt("1"), &wrong);
    class.write(&attempt("2"), &solution);
    class.write(&attempt("3"), wrong.replace("// TODO", "// done") + "\n");
    let policy = |counts: &str, due: &str| {
        class.write(
            "grading.toml",
            format!(
                "zone = \"UTC\"\nexercises = [\"guard\"]\ndue = 2026-10-{due}T00:00:00\n\
                 [late]\npenalty = 0.1\n[attempts]\ncounts = \"{counts}\"\n"
            ),
        );
    };
    class.write("roster.csv", "Username\nada\n");
    let options = ["--policy", "grading.toml", "--from", "blackboard", "--roster", "roster.csv"];
    let counted = |counts: &str, due: &str| {
        policy(counts, due);
        let out = graded(&class, &options);
        let record = class.record("ada");
        let exercise = &record.exercises[0];
        (out, exercise.counted, exercise.report.as_ref().unwrap().passed, record.score.points)
    };
    let (_, why, passed, sum) = counted("best", "02");
    assert_eq!((why, passed, sum), (Some(Counted::Best), true, 9.0), "one day late");
    let page = fs::read_dir(class.path("out/students")).unwrap().flatten().next().unwrap();
    let page = fs::read_to_string(page.path()).unwrap();
    assert!(page.contains("You submitted 3 files for this exercise."), "{page}");
    assert!(page.contains("it gives the most points, after what its days late cost"), "{page}");
    assert!(!page.contains("it was submitted earlier"), "all three are graded: {page}");

    let (out, why, passed, _) = counted("last-on-time", "02");
    assert_eq!((why, passed), (Some(Counted::OnTime), false));
    assert!(out.contains("with new points"), "a changed rule runs nothing: {out}");
    let (out, why, passed, sum) = counted("last-on-time", "03");
    assert_eq!((why, passed, sum), (Some(Counted::OnTime), true, 10.0));
    assert!(out.contains("with new points"), "{out}");
    let (out, why, passed, _) = counted("last", "09");
    assert_eq!((why, passed), (Some(Counted::Last), false));
    assert!(out.contains("with new points"), "{out}");

    // a later submission without the good file: what was graded before may still count
    counted("best", "09");
    for at in ["1", "2", "3"] {
        fs::remove_file(class.path(&attempt(at))).unwrap();
    }
    class.write(&attempt("4"), wrong + "\n\n");
    let dry = class.grade(&[&options[..], &["--dry-run"]].concat()).1;
    assert!(dry.contains("3 earlier files may count in place of the last one"), "{dry}");
    let (_, why, passed, sum) = counted("best", "09");
    assert_eq!((why, passed, sum), (Some(Counted::Best), true, 10.0));
    assert_eq!(class.record("ada").exercises[0].others.len(), 3);
}

/// Free days of a term: what an earlier assignment took is gone in the next one, which says so, and
/// a changed earlier grade changes the later one without a run.
#[test]
fn free_days_are_for_the_term() {
    let class = Class::new();
    let late = "due = 2026-10-01T00:00:00Z\n[late]\nfree_days = 3\npenalty = 0.1\n";
    class.write(
        "one.toml",
        format!("title = \"week 1\"\nexercises = [\"guard\"]\n{late}earlier = []\n"),
    );
    class.write(
        "two.toml",
        format!("title = \"week 2\"\nexercises = [\"guard\"]\n{late}earlier = [\"out\"]\n"),
    );
    class.submit_solutions("ada", &["ch01_threads/guard"]);
    let grade = |policy: &str, out: &str, at: &str| {
        let arguments =
            ["grade", "submissions", "--out", out, "--policy", policy, "--submitted-at", at];
        run(&mut class.command(&arguments))
    };
    let second = || -> Record {
        let text = fs::read(class.path("second/records/ada.json")).unwrap();
        serde_json::from_slice(&text).unwrap()
    };
    grade("one.toml", "out", "2026-10-02T12:00:00Z");
    let dry = ["grade", "submissions", "--policy", "two.toml", "--out", "second", "--dry-run"];
    let dry = run(class.command(&dry).args(["--submitted-at", "2026-10-02T12:00:00Z"]));
    assert!(dry.contains("1 of 3 free days are left for it"), "{dry}");
    grade("two.toml", "second", "2026-10-02T12:00:00Z");
    let record = second();
    assert_eq!(class.record("ada").score.points, 10.0, "two of three days");
    assert_eq!(record.score.points, 9.0, "one day was left for two");
    let days = record.late_days.as_ref().unwrap();
    assert_eq!((days.free, days.before(), days.here, days.left()), (3, 1, 1, 0));
    let page = fs::read_dir(class.path("second/students")).unwrap().flatten().next().unwrap();
    let page = fs::read_to_string(page.path()).unwrap();
    assert!(page.contains("3 for the term: 2 in week 1, 1 here, 0 left"), "{page}");

    grade("one.toml", "out", "2026-09-30T12:00:00Z");
    let out = grade("two.toml", "second", "2026-10-02T12:00:00Z");
    assert!(out.contains("with new points"), "{out}");
    assert_eq!(second().score.points, 10.0, "nothing was spent before");

    for (path, words) in
        [("gone", "two.toml: line 7: there is no folder `gone`"), ("second", "own records")]
    {
        let text =
            format!("title = \"week 2\"\nexercises = [\"guard\"]\n{late}earlier = [\"{path}\"]\n");
        class.write("two.toml", text);
        let output = class
            .command(&["grade", "submissions", "--out", "second", "--policy", "two.toml"])
            .output()
            .unwrap();
        let (code, _, errors) = exit_and_output(&output);
        assert!(code == 2 && errors.contains(words), "{errors}");
    }
}

/// The schemas in `classroom/example` are those that the program prints, and the policy there names
/// its own. `BLESS=1` writes them.
#[test]
fn the_shipped_schemas_are_the_programs() {
    let class = Class::new();
    let example = repository().join("classroom/example");
    for (file, name) in [
        ("policy.schema.json", "policy"),
        ("by-hand.schema.json", "by-hand"),
        ("roster.schema.json", "roster"),
        ("groups.schema.json", "groups"),
    ] {
        let text = run(&mut class.command(&["grade", "--schema", name]));
        let path = example.join(file);
        if std::env::var_os("BLESS").is_some() {
            fs::write(&path, &text).unwrap();
        }
        assert_eq!(fs::read_to_string(&path).unwrap_or_default(), text, "{file}");
    }
    let policy = fs::read_to_string(example.join("grading.toml")).unwrap();
    assert!(policy.starts_with("#:schema ./policy.schema.json\n"), "{policy}");
}

/// A page for markers has no name in it; the key says whose a pseudonym is, only its owner can read
/// it, and pseudonyms stay.
#[test]
fn pages_for_markers_have_no_names() {
    let class = Class::new();
    class.write("grading.toml", TWO);
    class
        .write("roster.csv", "id,name\nlovelace,\"Lovelace, Ada\"\nbabbage,\"Babbage, Charles\"\n");
    for student in ["lovelace", "babbage"] {
        class.submit_solutions(student, &["ch01_threads/guard"]);
        class.write(&format!("submissions/{student}/{student}.txt"), student);
    }
    graded(&class, &["--policy", "grading.toml", "--roster", "roster.csv"]);
    let report = |format: &str| {
        let arguments = ["report", "out", "--format", format, "--anonymous", "key.csv"];
        run(&mut class.command(&arguments))
    };
    let page = report("html-class");
    for name in ["ovelace", "abbage", "Ada", "Charles"] {
        assert!(!page.contains(name), "{name}");
    }
    let key = fs::read_to_string(class.path("key.csv")).unwrap();
    assert_eq!(key.lines().count(), 3);
    for line in key.lines().skip(1) {
        let (_, pseudonym) = line.split_once(',').unwrap();
        assert!(page.contains(pseudonym), "{line}");
    }
    let table = report("csv");
    assert_eq!(fs::read_to_string(class.path("key.csv")).unwrap(), key, "pseudonyms stay");
    assert!(
        table.lines().skip(1).all(|row| key.contains(row.split(',').next().unwrap())),
        "{table}"
    );
    use std::os::unix::fs::PermissionsExt as _;
    let mode = fs::metadata(class.path("key.csv")).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0, "{mode:o}");

    class.write("key.csv", "id,name\n");
    let arguments = ["report", "out", "--format", "csv", "--anonymous", "key.csv"];
    let (code, _, errors) = exit_and_output(&class.command(&arguments).output().unwrap());
    assert!(code == 2 && errors.contains("key.csv: line 1: this is no key"), "{errors}");
    assert_eq!(fs::read_to_string(class.path("key.csv")).unwrap(), "id,name\n", "it is not lost");
}

/// Files of former years are found in this one, and only pairs with a student of this year.
#[test]
fn copies_of_former_years_are_found() {
    let class = Class::new();
    let hands = repository().join("crates/grading/tests/similar/fft_shared");
    let mut texts: Vec<_> = fs::read_dir(hands).unwrap().flatten().map(|e| e.path()).collect();
    texts.sort();
    let text = |i: usize| fs::read(&texts[i]).unwrap();
    class.write("now/ada/fft_shared.cu", text(0));
    class.write("now/bob/fft_shared.cu", text(1));
    class.write("2025/carl/fft_shared.cu", text(0));
    class.write("2025/dora/fft_shared.cu", text(2));
    class.write("2024/eve/fft_shared.cu", text(2));
    fs::create_dir_all(class.path("empty")).unwrap();
    let similar = |more: &[&str]| {
        let command = [&["similar", "now", "--json"], more].concat();
        exit_and_output(&class.command(&command).output().unwrap())
    };
    let (code, out, errors) = similar(&["--against", "2025", "--against", "2024"]);
    assert_eq!(code, 0, "{errors}");
    let found: serde_json::Value = serde_json::from_str(&out).unwrap();
    let pairs: Vec<(&str, &str)> = found["pairs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| (pair["a"].as_str().unwrap(), pair["b"].as_str().unwrap()))
        .collect();
    assert_eq!(pairs, [("2025/carl", "ada")]);
    let (code, _, errors) = similar(&["--against", "empty"]);
    assert!(
        code == 2 && errors.contains("--against empty: there is no submission in it"),
        "{errors}"
    );
}

/// Output folders of several terms are columns of one page.
#[test]
fn statistics_put_terms_side_by_side() {
    let class = Class::new();
    for (title, student, exercises) in
        [("2025", "ada", &["ch01_threads/guard"][..]), ("2026", "bob", &["ch01_threads/add_one"])]
    {
        class.write("grading.toml", format!("title = \"{title}\"\n{TWO}"));
        let _ = fs::remove_dir_all(class.path("submissions"));
        class.submit_solutions(student, exercises);
        let grade = ["grade", "submissions", "--policy", "grading.toml", "--out", title];
        run(&mut class.command(&grade));
    }
    let table = run(&mut class.command(&["report", "2025", "2026", "--format", "csv-statistics"]));
    let terms: BTreeSet<&str> =
        table.lines().skip(1).filter_map(|row| row.split(',').next()).collect();
    assert_eq!(terms.into_iter().collect::<Vec<_>>(), ["2025 (2025)", "2026 (2026)"]);
    assert!(table.contains("2025 (2025),guard,exercise,,1,1,100,"), "{table}");
    assert!(table.contains("2026 (2026),guard,exercise,,0,0,,"), "{table}");
    let page = run(&mut class.command(&["report", "2025", "2026", "--format", "html-statistics"]));
    assert!(page.contains("Statistics of 2 terms"), "{page}");
}

/// A changed policy or decision needs no program that runs code: here there is none.
#[test]
fn regrading_runs_nothing() {
    let class = Class::new();
    class.write("grading.toml", TWO);
    class.submit_solutions("ada", &["ch01_threads/guard"]);
    let built = std::path::Path::new(env!("CARGO_BIN_EXE_checker-tools"));
    class.copy_program(built, "bin/checker-tools");
    let worker = class.path("bin/checker-worker");
    class.copy_program(&built.with_file_name("checker-worker"), "bin/checker-worker");
    let grade = |more: &[&str]| {
        let output = Command::new(class.path("bin/checker-tools"))
            .current_dir(class.folder.path())
            .env("NO_COLOR", "1")
            .args(["grade", "submissions", "--out", "out", "--policy", "grading.toml"])
            .args(more)
            .output();
        exit_and_output(&output.unwrap())
    };
    assert_eq!(grade(&[]).0, 0);
    assert_eq!(points(&class, "ada"), 10.0);
    fs::remove_file(&worker).unwrap();
    class.write("grading.toml", format!("{TWO}points = 4\n"));
    let (code, out, errors) = grade(&[]);
    assert_eq!(code, 0, "{out}{errors}");
    assert_eq!(points(&class, "ada"), 4.0);
    class.write("hand.toml", "[ada.add_one]\npoints = 3\ncomment = \"by hand\"\n");
    let (code, out, errors) = grade(&["--by-hand", "hand.toml"]);
    assert_eq!(code, 0, "{out}{errors}");
    assert_eq!(points(&class, "ada"), 7.0);
    let page = fs::read_dir(class.path("out/students")).unwrap().next().unwrap().unwrap();
    let page = || fs::read_to_string(page.path()).unwrap();
    assert!(page().contains("These points were given by hand. ") && page().contains("by hand</"));
    // points and comment outlast a new run of the submission
    class.copy_program(&built.with_file_name("checker-worker"), "bin/checker-worker");
    class.submit_solutions("ada", &["ch01_threads/guard", "ch01_threads/blocks"]);
    assert_eq!(grade(&["--by-hand", "hand.toml"]).0, 0);
    assert_eq!(points(&class, "ada"), 7.0);
    assert!(page().contains("These points were given by hand. ") && page().contains("by hand</"));
    fs::remove_file(&worker).unwrap();
    // a submission that has to run needs it
    class.submit_solutions("bob", &["ch01_threads/guard"]);
    assert_ne!(grade(&["--by-hand", "hand.toml"]).0, 0);
}
