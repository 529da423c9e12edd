//! Messy downloads, graded by the real program: every student is found or named, every file is
//! accounted for, and no zero is silent.

use std::fs;

use grading::record::Record;

use crate::common::{Class, TWO, exit_and_output, repository};

fn guard() -> Vec<u8> {
    fs::read(repository().join("solutions/ch01_threads/guard.cu")).unwrap()
}

fn flags(record: &Record) -> Vec<&str> {
    record.flags.iter().map(|flag| flag.what.as_str()).collect()
}

fn read(class: &Class, file: &str) -> String {
    fs::read_to_string(class.path(file)).unwrap_or_default()
}

/// The row of a student in `grades.csv`.
fn row(class: &Class, id: &str) -> String {
    let table = read(class, "out/grades.csv");
    let mut rows = table.lines().filter(|row| row.starts_with(&format!("{id},")));
    rows.next().unwrap_or_else(|| panic!("{id}: {table}")).to_owned()
}

/// Students whom nothing tells apart are flagged everywhere, and the message's way out works. Then
/// nothing is left of the flags.
#[test]
fn namesakes_are_flagged_until_a_folder_says_whose_a_file_is() {
    let class = Class::new();
    class.write("grading.toml", TWO);
    class.write(
        "roster.csv",
        "Student,SIS Login ID\n\"Zhang, Wei\",wz1\n\"Zhang, Wei\",wz2\n\"Lee, Ann\",al\n",
    );
    for name in ["zhangwei_101_1", "zhangwei_102_2", "leeann_103_3"] {
        class.write(&format!("submissions/{name}_guard.cu"), guard());
    }
    let options = ["--policy", "grading.toml", "--roster", "roster.csv", "--from", "canvas"];
    let (code, out, errors) = class.grade(&options);
    assert_eq!(code, 0, "{out}{errors}");
    assert!(!out.contains("submitted nothing"), "{out}");
    assert!(out.contains("2 on the roster have no grade from this run"), "{out}");
    let lines = errors.lines().filter(|line| line.contains("zhangwei_101_1")).count();
    assert_eq!(lines, 1, "one line for each file: {errors}");
    for id in ["wz1", "wz2"] {
        let record = class.record(id);
        assert_eq!(flags(&record), ["refused", "refused"], "{id}");
        assert!(record.flags[0].detail.contains("zhangwei_101_1_guard.cu"), "{:?}", record.flags);
        assert!(row(&class, id).contains("refused"), "{}", row(&class, id));
    }
    let page = read(&class, "out/class.html");
    assert!(page.contains("may be of `wz1` or `wz2`"), "{page}");
    let pages = fs::read_dir(class.path("out/students")).unwrap().flatten();
    for page in pages.map(|page| fs::read_to_string(page.path()).unwrap()) {
        assert!(!page.contains("zhangwei_10"), "a student's page names no other student's file");
    }

    for (id, name) in [("wz1", "zhangwei_101_1_guard.cu"), ("wz2", "zhangwei_102_2_guard.cu")] {
        fs::create_dir(class.path(&format!("submissions/{id}"))).unwrap();
        let to = class.path(&format!("submissions/{id}/{name}"));
        fs::rename(class.path(&format!("submissions/{name}")), to).unwrap();
    }
    let (code, out, errors) = class.grade(&options);
    assert_eq!(code, 0, "{out}{errors}");
    for id in ["wz1", "wz2", "al"] {
        let record = class.record(id);
        assert_eq!((record.score.points, flags(&record).len()), (10.0, 0), "{id}");
    }
    // A further file that is not certain flags both, and takes no grade away.
    class.write("submissions/zhangwei_103_9_guard.cu", guard());
    assert_eq!(class.grade(&options).0, 0);
    for id in ["wz1", "wz2"] {
        let record = class.record(id);
        assert_eq!((record.score.points, flags(&record)), (10.0, vec!["unclear-file"]), "{id}");
    }
    fs::remove_file(class.path("submissions/zhangwei_103_9_guard.cu")).unwrap();
    assert_eq!(class.grade(&options).0, 0);
    assert!(class.record("wz1").flags.is_empty());
}

/// A file with a wrong name, an archive in an archive and a report are named wherever an
/// instructor or the student looks.
#[test]
fn files_that_are_not_read_are_named() {
    let class = Class::new();
    class.write("grading.toml", TWO);
    class.write(
        "roster.csv",
        "id,submitted_at\nada,\nbob,\ncarl,\ndora,\nedsger,\nfrances,2026-10-01T12:00:00Z\n",
    );
    class.submit_solutions("ada", &["ch01_threads/add_one"]);
    class.submit_solutions("dorra", &["ch01_threads/guard"]);
    class.write("submissions/ada/guard_final.cu", guard());
    class.write("submissions/bob/guard - Kopie.cu", guard());
    class.write("submissions/carl/Homework 1.pdf", "%PDF");
    class.write("submissions/carl/hw.zip", "");
    let options = ["--policy", "grading.toml", "--roster", "roster.csv"];
    let (_, dry, _) = class.grade(&[&options[..], &["--dry-run"]].concat());
    assert!(dry.contains("guard_final.cu: no exercise has this file name"), "{dry}");
    let (code, out, errors) = class.grade(&options);
    assert_eq!(code, 0, "{out}{errors}");
    assert_eq!(flags(&class.record("ada")), ["unread-file"]);
    assert!(row(&class, "ada").ends_with("unread-file"));
    let bob = class.record("bob");
    assert_eq!((bob.score.points, flags(&bob)), (10.0, vec!["changed-file"]));
    // An id that is not on the roster may be a student who submitted nothing.
    assert_eq!(flags(&class.record("dora")), ["similar-id"]);
    assert!(row(&class, "dora").ends_with("similar-id"));
    assert!(class.record("edsger").flags.is_empty());
    // The platform knows of a submission, and it is not there.
    assert_eq!(flags(&class.record("frances")), ["missing-files"]);
    for part in
        ["3 remarks to look at", "ada: `guard_final.cu` was not read", "frances: the roster has"]
    {
        assert!(out.contains(part), "{part}: {out}");
    }
    let carl = class.record("carl");
    assert_eq!((flags(&carl), carl.submission.is_absent()), (vec!["refused"], false));
    assert_eq!(carl.submission.ignored, ["Homework 1.pdf", "hw.zip: the file is empty"]);
    for part in ["Homework 1.pdf", "hw.zip: the file is empty"] {
        assert!(errors.contains(part), "{errors}");
        assert!(read(&class, "out/class.html").contains(part));
    }
    let pages = fs::read_dir(class.path("out/students")).unwrap().flatten();
    let pages: Vec<String> = pages.map(|page| fs::read_to_string(page.path()).unwrap()).collect();
    let of_carl = pages.iter().find(|page| page.contains("Homework 1.pdf")).unwrap();
    assert!(of_carl.contains("no file of it could be graded"), "{of_carl}");

    // A file that is added later changes no exercise's file, and is flagged all the same.
    class.write("submissions/bob/add_one_v2.cu", "int x;\n");
    assert_eq!(class.grade(&options).0, 0);
    assert_eq!(flags(&class.record("bob")), ["changed-file", "unread-file"]);
    let (_, out, _) = class.grade(&options);
    assert!(out.contains("unchanged"), "{out}");
}

/// All files that are not matched are in the results, however many they are; those that a student
/// may have submitted flag that student, and what the platform adds is only counted.
#[test]
fn files_that_are_not_matched_are_kept() {
    let class = Class::new();
    class.write("grading.toml", TWO);
    class.write("roster.csv", "Username\nada\ncstone\n");
    let name = |end: &str| format!("submissions/W_ada_attempt_2026-10-01-12-00-00{end}");
    class.write(&name("_guard.cu"), guard());
    class.write(&name(".txt"), "Name: Ada");
    class.write("submissions/zz late by mail cstone guard.cu", guard());
    for n in 0..12 {
        class.write(&format!("submissions/note {n:02}.txt"), "");
    }
    let options = ["--policy", "grading.toml", "--roster", "roster.csv", "--from", "blackboard"];
    let (_, dry, _) = class.grade(&[&options[..], &["--dry-run"]].concat());
    assert!(dry.contains("note 11.txt") && dry.contains("by mail cstone guard.cu"), "{dry}");
    let (code, out, errors) = class.grade(&options);
    assert_eq!(code, 0, "{out}{errors}");
    assert!(out.contains("1 file that the platform added is left out"), "{out}");
    assert!(out.contains("and 5 more: out/unmatched.txt has all of them"), "{out}");
    let unmatched = read(&class, "out/unmatched.txt");
    assert_eq!(unmatched.lines().count(), 13, "{unmatched}");
    assert!(unmatched.contains("by mail cstone guard.cu"), "{unmatched}");
    assert!(read(&class, "out/class.html").contains("by mail cstone guard.cu"));
    assert_eq!(flags(&class.record("cstone")), ["refused"]);
    // The file disappears with what it lists.
    fs::remove_dir_all(class.path("submissions")).unwrap();
    class.write(&name("_guard.cu"), guard());
    assert_eq!(class.grade(&options).0, 0);
    assert!(!class.path("out/unmatched.txt").exists());
}

/// Shards of a class have the list, too, and merging them keeps it once.
#[test]
fn merging_keeps_what_is_not_matched() {
    let class = Class::new();
    class.write("grading.toml", TWO);
    class.write("roster.csv", "id\nada\nbob\n");
    class.submit_solutions("ada", &["ch01_threads/guard"]);
    class.submit_solutions("bob", &["ch01_threads/guard"]);
    class.write("submissions/stray.txt", "");
    for shard in ["1/2", "2/2"] {
        let out = format!("shard-{}", &shard[..1]);
        let arguments = ["grade", "submissions", "--policy", "grading.toml", "--roster"];
        let arguments =
            [&arguments[..], &["roster.csv", "--out", out.as_str(), "--shard", shard]].concat();
        let output = class.command(&arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
    let merge = ["merge", "shard-1", "shard-2", "--roster", "roster.csv", "--out", "out"];
    let (code, out, errors) = exit_and_output(&class.command(&merge).output().unwrap());
    assert_eq!(code, 0, "{out}{errors}");
    let unmatched = read(&class, "out/unmatched.txt");
    assert_eq!(unmatched, "submissions/stray.txt: it is neither a folder nor an archive\n");
    assert!(read(&class, "out/class.html").contains("submissions/stray.txt"));
}

/// The archive of a whole class is not graded as one student, with and without `--from`.
#[test]
fn an_archive_of_a_class_is_refused() {
    let class = Class::new();
    class.write("grading.toml", TWO);
    let folder = class.path("download");
    for name in ["Ada Lovelace_7_assignsubmission_file_", "Bob B_8_assignsubmission_file_"] {
        class.write(&format!("download/{name}/guard.cu"), guard());
    }
    let archive = class.path("download.tar");
    let mut tar = std::process::Command::new("tar");
    let tar = tar.arg("-cf").arg(&archive).arg("-C").arg(&folder).arg(".").status().unwrap();
    assert!(tar.success());
    let grade = |more: &[&str]| {
        let arguments =
            [&["grade", "download.tar", "--out", "out", "--policy", "grading.toml"], more].concat();
        exit_and_output(&class.command(&arguments).output().unwrap())
    };
    for more in [&[][..], &["--from", "moodle"]] {
        let (code, out, errors) = grade(more);
        assert_eq!(code, 2, "{out}{errors}");
        assert!(errors.contains("unpack it into a folder"), "{errors}");
        assert!(errors.contains("`--from moodle`"), "{errors}");
    }
}

/// What is wrong with the roster is said by a dry run, too, whose exit code is that of a run that
/// would stop.
#[test]
fn a_dry_run_says_what_stops_grading() {
    let class = Class::new();
    class.write("grading.toml", format!("{TWO}due = 2026-10-01T00:00:00Z\n"));
    class.write("roster.csv", b"id,name,submitted_at\nada,Ada,yesterday\nada,A,\ncaf\xe9,C,\n");
    class.submit_solutions("ada", &["ch01_threads/guard"]);
    class.submit_solutions("eve", &["ch01_threads/guard"]);
    let options = ["--policy", "grading.toml", "--roster", "roster.csv"];
    for more in [&["--dry-run"][..], &[]] {
        let (code, out, errors) = class.grade(&[&options[..], more].concat());
        assert_eq!(code, 2, "{out}{errors}");
        for part in
            ["the roster: line 2: the time `yesterday`", "`ada` is already in line 2", "Latin-1"]
        {
            assert_eq!(errors.matches(part).count(), 1, "{part}: {errors}");
        }
        let all = out + &errors;
        assert!(all.contains("not on the roster: eve"), "{all}");
        assert!(all.contains("some times on the roster were not understood"), "{all}");
    }
    let (code, _, _) = class.grade(&[&options[..], &["--dry-run", "--assume-on-time"]].concat());
    assert_eq!(code, 0);
}

/// Moodle's worksheet of anonymous marking, another column of ids with `--from`, and grades that go
/// back into Moodle, without the student whom Moodle does not know.
#[test]
fn anonymous_marking_in_moodle() {
    let class = Class::new();
    class.write("grading.toml", TWO);
    class.write(
        "roster.csv",
        "Identifier,Status,Grade,Last modified (grade),Code\nParticipant 77,-,,-,k1\nParticipant 7,-,,-,k2\n",
    );
    for number in ["77", "7", "9"] {
        class.write(
            &format!("submissions/Participant_{number}_assignsubmission_file_/guard.cu"),
            guard(),
        );
    }
    let options = ["--policy", "grading.toml", "--roster", "roster.csv", "--from", "moodle"];
    let (code, out, errors) = class.grade(&options);
    assert_eq!(code, 0, "{out}{errors}");
    assert!(row(&class, "Participant 7").contains(",10,"), "{}", row(&class, "Participant 7"));
    assert!(out.contains("`Participant_9` is not on the roster"), "{out}");
    let report = ["report", "out", "--format", "moodle"];
    let (code, sheet, errors) = exit_and_output(&class.command(&report).output().unwrap());
    assert_eq!(code, 0, "{errors}");
    assert!(sheet.contains("Participant 77,-,10,,,-\n"), "{sheet}");
    assert!(
        errors.contains("Participant_9 has no row: the roster has no such student"),
        "{errors}"
    );

    let by_code = [&options[..], &["--id-column", "Code", "--dry-run"]].concat();
    let (code, out, errors) = class.grade(&by_code);
    assert_eq!(code, 0, "{errors}");
    assert!(out.lines().any(|line| line.trim_start().starts_with("k1 ")), "{out}");
}

/// A platform that the checker doesn't know: the pattern finds ids, times and files in its names.
#[test]
fn names_of_another_platform_are_read_by_a_pattern() {
    let class = Class::new();
    class.write("grading.toml", TWO);
    class.write("roster.csv", "id\nada\ngrace\n");
    for name in ["hw1+ada+2026-10-01T12:00:00Z+guard.cu", "hw1+grace+2026-10-02T12:00:00Z+guard.cu"]
    {
        class.write(&format!("submissions/{name}"), guard());
    }
    class.write("submissions/hw1 without an id.cu", guard());
    let pattern = "hw1\\+(?<id>[a-z]+)\\+(?<time>[^+]+)\\+(?<file>.+)";
    let options = ["--policy", "grading.toml", "--roster", "roster.csv", "--id-pattern", pattern];
    let (code, out, errors) = class.grade(&options);
    assert_eq!(code, 0, "{out}{errors}");
    for id in ["ada", "grace"] {
        assert!(row(&class, id).contains(",10,"), "{}", row(&class, id));
    }
    assert!(read(&class, "out/unmatched.txt").contains("hw1 without an id.cu"), "{out}{errors}");

    let broken = [&options[..5], &["hw1(?<who>.*)"]].concat();
    let (code, out, errors) = class.grade(&broken);
    assert!(code == 2 && errors.contains("--id-pattern: "), "{code} {out}{errors}");
}

/// Points by hand above what is possible are a slip: a warning and a flag say so.
#[test]
fn points_by_hand_above_the_possible_are_flagged() {
    let class = Class::new();
    class.write("grading.toml", TWO);
    class.write("hand.toml", "[ada.guard]\npoints = 80\n[ada.add_one]\npoints = 10\n");
    class.submit_solutions("ada", &["ch01_threads/guard"]);
    let (code, out, errors) = class.grade(&["--policy", "grading.toml", "--by-hand", "hand.toml"]);
    assert_eq!(code, 0, "{out}{errors}");
    assert!(errors.contains("80 points by hand for `guard` are more than its 10"), "{errors}");
    assert_eq!(flags(&class.record("ada")), ["by-hand"]);
    class.write("hand.toml", "[ada.guard]\npoints = 8\n");
    assert_eq!(class.grade(&["--policy", "grading.toml", "--by-hand", "hand.toml"]).0, 0);
    assert!(class.record("ada").flags.is_empty());
}

/// A student's page has no path of the instructor's machine in it.
#[test]
fn pages_have_no_paths_of_the_instructor() {
    let class = Class::new();
    class.write("grading.toml", TWO);
    class.submit_solutions("ada", &["ch01_threads/guard"]);
    let skeleton = fs::read(repository().join("exercises/ch01_threads/guard.cu")).unwrap();
    class.write("submissions/bob/guard.cu", skeleton);
    class.write("submissions/carl/guard.cu", b"\xff\xfe\0\0");
    let out = class.path("out");
    let out = out.to_str().unwrap();
    let arguments = ["grade", "submissions", "--out", out, "--policy", "grading.toml"];
    let output = class.command(&arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let expected = ["changed-file", "hidden-characters", "unreadable-source"];
    assert_eq!(flags(&class.record("carl")), expected);
    for page in fs::read_dir(class.path("out/students")).unwrap().flatten() {
        let text = fs::read_to_string(page.path()).unwrap();
        assert!(!text.contains(class.folder.path().to_str().unwrap()), "{text}");
    }
}

/// A folder that is called like a student is one submission, so the folder `bob` in Mallory's
/// doesn't change Bob's grade. Where another folder does take the place of a grade, the record says
/// so for as long as it holds.
#[test]
fn a_students_folder_replaces_no_other_students_grade() {
    let class = Class::new();
    class.write("grading.toml", "exercises = [\"guard\"]\n");
    class.write("roster.csv", "id\nmallory\nbob\n");
    class.write("submissions/bob/guard.cu", guard());
    class.write("mallory/bob/guard.cu", "extern \"C\" __global__ void guard() {}\n");
    let options = ["--policy", "grading.toml", "--roster", "roster.csv"];
    assert_eq!(class.grade(&options).0, 0);
    assert_eq!(class.record("bob").score.points, 10.0);
    let grade = |folder: &str| {
        let arguments = [&["grade", folder, "--out", "out"], &options[..]].concat();
        let (code, out, errors) = exit_and_output(&class.command(&arguments).output().unwrap());
        assert_eq!(code, 0, "{out}{errors}");
        errors + &out
    };
    grade("mallory");
    let (bob, mallory) = (class.record("bob"), class.record("mallory"));
    assert_eq!((bob.score.points, flags(&bob).len()), (10.0, 0));
    assert_eq!((mallory.score.points, mallory.submission.files.len()), (0.0, 1));
    assert!(mallory.submission.source.ends_with("mallory"), "{}", mallory.submission.source);

    // a class in another folder
    class.write("later/bob/guard.cu", "extern \"C\" __global__ void guard() {}\n");
    let said = grade("later");
    assert!(said.contains("took the place of those of `submissions/bob`"), "{said}");
    for _ in 0..2 {
        let bob = class.record("bob");
        assert_eq!((bob.score.points, flags(&bob)), (0.0, vec!["other-folder"]));
        assert!(row(&class, "bob").contains("other-folder"), "{}", row(&class, "bob"));
        grade("later");
    }
}
