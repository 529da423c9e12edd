//! What instructors hand over: times, rosters, downloads of platforms. Nothing is lost or scored in
//! silence.

use std::fs;

use crate::common::{Class, TWO, exit_and_output, repository};

/// A policy whose due date has passed.
fn overdue() -> String {
    format!("{TWO}due = 2026-01-01T12:00:00Z\n[late]\npenalty = 0.5\n")
}

/// After the due date, submissions without a known time are not silently late: grading stops and
/// says how many they are, until a time is stated or assumed.
#[test]
fn a_class_without_times_is_not_silently_late() {
    let class = Class::new();
    class.write("grading.toml", overdue());
    for student in ["ada", "bob"] {
        class.submit_solutions(student, &["ch01_threads/add_one", "ch01_threads/guard"]);
    }
    let policy = ["--policy", "grading.toml"];
    let (code, out, errors) = class.grade(&policy);
    assert_eq!(code, 2, "{out}{errors}");
    assert!(errors.contains("no time is known for 2 of 2 submissions"), "{errors}");
    for way in ["--from", "submitted_at", "--submitted-at", "--assume-on-time"] {
        assert!(errors.contains(way), "{way}: {errors}");
    }
    assert!(!class.path("out/records/ada.json").exists());
    let dry = class.grade(&[&policy[..], &["--dry-run"]].concat());
    assert!(
        dry.1.contains("grading would stop") && dry.1.contains("if it counts as submitted now")
    );

    class.write("roster.csv", "id,submitted_at\nada,2025-12-31 23:00:00 -0700\nbob,\n");
    let options = [&policy[..], &["--roster", "roster.csv", "--assume-on-time"]].concat();
    let (code, out, errors) = class.grade(&options);
    assert_eq!(code, 0, "{out}{errors}");
    assert_eq!(class.record("bob").score.points, 20.0, "assumed to be on time");
    assert_eq!(class.record("ada").score.points, 20.0, "in time, as Gradescope writes it");
    class.write("roster.csv", "id,submitted_at\nada,2026-01-01 13:00:00 -0700\nbob,\n");
    assert_eq!(class.grade(&options).0, 0);
    assert_eq!(class.record("ada").score.points, 10.0, "a stated time holds");
}

/// Times that contradict each other don't decide in silence: those of the roster and of a download,
/// and a platform's mark with the option that counts all as on time.
#[test]
fn contradicting_times_are_named() {
    let solution = fs::read(repository().join("solutions/ch01_threads/guard.cu")).unwrap();
    let class = Class::new();
    class.write("grading.toml", format!("{}zone = \"UTC\"\n", TWO) + "due = 2026-10-02T20:00:00\n");
    let of = |id: &str, time: &str| format!("submissions/W_{id}_attempt_{time}_guard.cu");
    class.write(&of("ada", "2026-10-03-09-05-00"), &solution);
    class.write(&of("bob", "2026-10-02-19-00-00"), &solution);
    class.write(
        "roster.csv",
        "id,submitted_at\nada,2026-10-02T19:00:00Z\nbob,2026-10-02T19:00:30Z\n",
    );
    let options = ["--policy", "grading.toml", "--roster", "roster.csv", "--from", "blackboard"];
    let (code, out, errors) = class.grade(&options);
    assert_eq!(code, 0, "{out}{errors}");
    let wanted = "the roster and the download have different times for ada: a file counts with the earlier one";
    assert!(errors.contains(wanted), "{errors}");
    assert_eq!(class.record("ada").score.points, 10.0, "with the roster's time");

    let class = Class::new();
    class.write("grading.toml", overdue());
    class.write("submissions/adalovelace_LATE_12_34_guard.cu", &solution);
    class.write("submissions/bobking_13_35_guard.cu", &solution);
    class.write("roster.csv", "Student,ID\n\"Lovelace, Ada\",12\n\"King, Bob\",13\n");
    let options = ["--policy", "grading.toml", "--roster", "roster.csv", "--from", "canvas"];
    let (code, out, errors) = class.grade(&[&options[..], &["--assume-on-time"]].concat());
    assert_eq!(code, 0, "{out}{errors}");
    let wanted = "as late, and --assume-on-time counts them as on time";
    assert_eq!(errors.matches(wanted).count(), 1, "{errors}");
    assert!(!errors.contains("13"), "{errors}");
}

/// A time for all submissions without one is about new and changed ones, and leaves those on time
/// that were recorded so.
#[test]
fn a_time_for_all_makes_no_student_late() {
    let class = Class::new();
    class.write("grading.toml", TWO);
    for student in ["ada", "bob"] {
        class.submit_solutions(student, &["ch01_threads/add_one", "ch01_threads/guard"]);
    }
    let options = ["--policy", "grading.toml", "--submitted-at", "2025-12-31T12:00:00Z"];
    assert_eq!(class.grade(&options).0, 0);
    class.write("grading.toml", overdue());
    let changed = fs::read(class.path("submissions/bob/exercises/ch01_threads/guard.cu")).unwrap();
    let changed = [&changed[..], b"// later\n"].concat();
    class.write("submissions/bob/exercises/ch01_threads/guard.cu", changed);
    let (code, _, errors) = class.grade(&["--policy", "grading.toml"]);
    assert_eq!(code, 2);
    assert!(errors.contains("no time is known for 1 of 2 submissions"), "{errors}");
    let later = ["--policy", "grading.toml", "--submitted-at", "2026-01-02T12:00:00Z"];
    for _ in 0..2 {
        assert_eq!(class.grade(&later).0, 0);
        assert_eq!(class.record("ada").score.points, 20.0, "as it was");
        assert_eq!(class.record("bob").score.points, 15.0, "one file is new, and a day late");
    }
}

/// If the names have times and the policy has no zone for them, the message says so.
#[test]
fn times_without_a_zone_are_not_called_unknown_alone() {
    let class = Class::new();
    class.write("grading.toml", overdue());
    let guard = fs::read(repository().join("solutions/ch01_threads/guard.cu")).unwrap();
    class.write("submissions/Week 1_ada_attempt_2025-12-31-23-00-00_guard.cu", guard);
    class.write("roster.csv", "Username\nada\n");
    let options = ["--policy", "grading.toml", "--from", "blackboard", "--roster", "roster.csv"];
    let (code, _, errors) = class.grade(&options);
    assert_eq!(code, 2, "{errors}");
    assert!(errors.contains("`zone = \"Europe/Berlin\"`"), "{errors}");
    class.write("grading.toml", format!("zone = \"UTC\"\n{}", overdue()));
    assert_eq!(class.grade(&options).0, 0);
    assert_eq!(class.record("ada").score.points, 10.0);
}

/// The example in `classroom` is what an instructor copies: its files agree with each other.
#[test]
fn the_shipped_example_fits_together() {
    let class = Class::new();
    let example = repository().join("classroom/example");
    for file in ["grading.toml", "roster.csv", "groups.csv"] {
        class.write(file, fs::read(example.join(file)).unwrap());
    }
    class.submit_solutions("ada", &["ch01_threads/guard"]);
    let files = ["--policy", "grading.toml", "--roster", "roster.csv"];
    let dry = ["--assume-on-time", "--dry-run"];
    let (code, out, errors) = class.grade(&[&files[..], &dry].concat());
    assert_eq!((code, errors.as_str()), (0, ""), "{out}");
    let groups = ["--groups", "groups.csv"];
    let (code, out, errors) = class.grade(&[&files[..], &dry, &groups].concat());
    assert_eq!((code, errors.as_str()), (0, ""), "{out}");
    assert_eq!(out.matches("group team-1").count(), 2, "{out}");
    // without times it is refused, and not worth nothing
    assert_eq!(class.grade(&files).0, 2);
}

/// An id that is misspelt in the policy or among the decisions by hand changes no grade, so it is
/// named.
#[test]
fn misspelt_students_are_named() {
    let class = Class::new();
    class.write("grading.toml", format!("{TWO}[students.adda]\nextension_days = 2\n"));
    class.write("hand.toml", "[bop.guard]\npoints = 3\n");
    class.write("roster.csv", "id\nada\nbob\n");
    class.submit_solutions("ada", &["ch01_threads/guard"]);
    let options = ["--policy", "grading.toml", "--roster", "roster.csv", "--by-hand", "hand.toml"];
    let (_, _, errors) = class.grade(&[&options[..], &["--dry-run"]].concat());
    for (wrong, right) in [("adda", "ada"), ("bop", "bob")] {
        let line = errors.lines().find(|line| line.contains(wrong)).unwrap_or_default();
        assert!(line.contains(&format!("did you mean `{right}`?")), "{errors}");
    }
}

/// Each file of a download is graded or named, also where its name is not the platform's.
#[test]
fn every_file_of_a_download_is_accounted_for() {
    let class = Class::new();
    class.write("grading.toml", TWO);
    let guard = fs::read(repository().join("solutions/ch01_threads/guard.cu")).unwrap();
    class.write("submissions/lovelaceada_123_9001_guard.cu", &guard);
    class.write("submissions/babbagecharles_LATE_124_9002_guard.cu", &guard);
    class.write("submissions/notes from the office.txt", "hello");
    class.write("roster.csv", "Student,ID,SIS Login ID\n\"Lovelace, Ada\",123,ada\n");
    let options = ["--policy", "grading.toml", "--roster", "roster.csv"];
    let (_, _, errors) = class.grade(&[&options[..], &["--dry-run"]].concat());
    assert!(errors.contains("`--from canvas` finds the students"), "{errors}");
    let (code, out, errors) = class.grade(&[&options[..], &["--from", "canvas"]].concat());
    assert_eq!(code, 0, "{out}{errors}");
    assert!(out.contains("not a submission: submissions/notes from the office.txt"), "{out}");
    assert!(out.contains("`babbagecharles_124` is not on the roster"), "{out}");
    assert_eq!(class.record("ada").score.points, 10.0);
    let late = class.record("babbagecharles_124");
    assert!(late.flags.iter().any(|flag| flag.what == "late"), "{:?}", late.flags);
    let page = fs::read_to_string(class.path("out/class.html")).unwrap();
    assert!(page.contains("the platform marks this submission as late"));
}

/// Space around an id is not part of it: not in a folder's name, on the roster or in the table.
#[test]
fn space_around_an_id_makes_no_second_student() {
    let class = Class::new();
    class.write("grading.toml", TWO);
    class.write("roster.csv", "id,name\n\" ada \",Ada\n");
    class.submit_solutions("ada ", &["ch01_threads/guard"]);
    let (code, out, errors) = class.grade(&["--policy", "grading.toml", "--roster", "roster.csv"]);
    assert_eq!(code, 0, "{out}{errors}");
    let table = fs::read_to_string(class.path("out/grades.csv")).unwrap();
    assert_eq!(table.lines().count(), 2, "{table}");
    assert!(table.lines().any(|line| line.starts_with("ada,Ada,0,10,10,")), "{table}");
}

/// A mistake on the command line of `report` is the instructor's, and not the machine's.
#[test]
fn mistakes_in_a_report_are_usage_errors() {
    let class = Class::new();
    class.write("out/records/note.json", "{}");
    class.write("empty/note.txt", "");
    for arguments in [
        ["report", "none", "--format", "csv"],
        ["report", "empty", "--format", "csv"],
        ["report", "out/records", "--format", "csvv"],
        ["report", "out/records", "--format", "csv"],
    ] {
        let (code, out, errors) = exit_and_output(&class.command(&arguments).output().unwrap());
        assert_eq!(code, 2, "{arguments:?}: {out}{errors}");
    }
}

/// The workflow for students' repositories saves what it built before it checks anything, because
/// the job of a student who is not done is red, and a cache's own last step would then be skipped.
#[test]
fn the_workflow_saves_its_cache_for_unfinished_students() {
    let text = fs::read_to_string(repository().join("classroom/github/check.yml")).unwrap();
    let place = |part: &str| {
        let parts: Vec<usize> = text.match_indices(part).map(|(at, _)| at).collect();
        assert_eq!(parts.len(), 1, "{part}");
        parts[0]
    };
    let order = [
        "cache/restore@",
        "cargo +stable install --locked --path course/crates/checker-tools",
        "cache/save@",
        "checker grade class",
    ];
    let places = order.map(place);
    assert!(places.is_sorted(), "{places:?}");
    assert!(!text.contains("uses: actions/cache@"), "its post step saves only on success");
    let save = &text[places[2]..places[3]];
    assert!(save.contains("key: ${{ steps.tools.outputs.cache-primary-key }}"), "{save}");
}
