//! Downloads as platforms make them: every student is found, and every file is accounted for.

use std::fs;
use std::path::Path;

use jiff::tz::TimeZone;
use tempfile::TempDir;

use super::*;
use crate::roster::Roster;

fn course() -> Course {
    let mut course = Course::example(&[("ch01_threads", "blocks"), ("ch01_threads", "guard")]);
    for exercise in &mut course.exercises {
        exercise.skeleton = "TODO\n".to_owned();
    }
    course
}

fn download(files: &[(&str, &str)]) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}

/// What is found of each student: `id [time] late: file = text, ...`, then what was refused or
/// ignored, then notes.
fn found(root: &Path, naming: &Naming, roster: &str) -> String {
    found_by(root, Some(naming), roster)
}

fn found_by(root: &Path, naming: Option<&Naming>, roster: &str) -> String {
    let zone = TimeZone::get("America/New_York").unwrap();
    let roster = Roster::parse(roster.as_bytes(), None, Some(&zone)).unwrap();
    let course = course();
    let search =
        Search { naming, roster: Some(&roster), zone: Some(&zone), ..Search::by_id(&course) };
    let found = many(&[root.to_path_buf()], &search);
    let mut lines = vec![];
    for place in &found.submissions {
        let at = place.at.map_or(String::new(), |at| format!(" {at}"));
        let late = if place.late { " late" } else { "" };
        let read = read(place, &course, &Limits::default());
        let files = match &read {
            Ok(submitted) => submitted
                .files
                .iter()
                .map(|f| format!("{} = {}", f.path, String::from_utf8_lossy(&f.bytes).trim()))
                .collect::<Vec<_>>()
                .join(", "),
            Err(error) => error.reason.to_string(),
        };
        lines.push(format!("{}{at}{late}: {files}", place.id));
        lines.extend(place.doubts.iter().map(|line| format!("    doubt: {line}")));
        for note in read.iter().flat_map(|submitted| &submitted.notes) {
            lines.push(format!("    {}: {}", note.what, note.detail));
        }
        for ignored in read.iter().flat_map(|submitted| &submitted.ignored) {
            lines.push(format!("    ignored: {ignored}"));
        }
    }
    let refused = found.refused.iter().map(|one| format!("refused for {}: {}", one.id, one.line));
    lines.extend(refused);
    lines.extend(found.ignored.iter().map(|one| format!("ignored {}: {}", one.path, one.why)));
    let name = root.file_name().and_then(|name| name.to_str()).unwrap();
    lines
        .join("\n")
        .replace(root.to_str().unwrap(), "DIR")
        .replace(&format!("for {name}:"), "for DIR:")
}

#[test]
fn moodle() {
    let root = download(&[
        ("Ada Lovelace_77_assignsubmission_file_/guard.cu", "g"),
        ("Ada Lovelace_77_assignsubmission_file_/report.pdf", ""),
        ("Charles Babbage_7_assignsubmission_file_/hw1/blocks.cu", "b"),
        ("Ada Lovelace_78_assignsubmission_file_/blocks.cu", "another Ada"),
        ("Grace Hopper_79_assignsubmission_onlinetext_/onlinetext.html", "<p>"),
    ]);
    let roster = "Identifier,Full name,Email address,Last modified (submission)\n\
        Participant 77,Ada Lovelace,ada@x.edu,\"Friday, 2 October 2026, 11:00 PM\"\n\
        Participant 78,Ada Lovelace,ada2@x.edu,-\nParticipant 7,Charles Babbage,cb@x.edu,-\n\
        Participant 79,Grace Hopper,grace@x.edu,-\n";
    let naming = Naming::of_platform(Platform::Moodle);
    insta::assert_snapshot!(found(root.path(), &naming, roster), @r"
    ada2@x.edu: blocks.cu = another Ada
    ada@x.edu: guard.cu = g
        ignored: report.pdf
    cb@x.edu: hw1/blocks.cu = b
    grace@x.edu: it contains no exercise; the checker recognises files by their names, such as `exercises/CHAPTER/NAME.cu`
    ");
}

#[test]
fn canvas() {
    let root = download(&[
        ("lovelaceada_123_9001_guard.cu", "first"),
        ("lovelaceada_123_9007_guard-1.cu", "second"),
        ("lovelaceada_123_9002_blocks.cu", "b"),
        ("oneilzoe_LATE_5_9003_hw1.pdf", ""),
        ("oneilzoe_LATE_5_9003_Blocks (2).cu", "z"),
        ("testtudent_99_9004_guard.cu", "t"),
        ("notes.txt", ""),
    ]);
    let roster = "Student,ID,SIS Login ID\n    Points Possible,,\n\"Lovelace, Ada\",123,ada\n\"O'Neil, Zoe\",5,zoe\n";
    let naming = Naming::of_platform(Platform::Canvas);
    insta::assert_snapshot!(found(root.path(), &naming, roster), @r"
    ada: lovelaceada_123_9002_blocks.cu = b, lovelaceada_123_9007_guard-1.cu = second
        other-file: `lovelaceada_123_9001_guard.cu` was not graded, because `lovelaceada_123_9007_guard-1.cu` was: it was submitted earlier
        changed-file: `lovelaceada_123_9007_guard-1.cu` was read as `guard.cu`
        ignored: lovelaceada_123_9001_guard.cu: it was submitted earlier
    testtudent_99: testtudent_99_9004_guard.cu = t
    zoe late: oneilzoe_LATE_5_9003_Blocks (2).cu = z
        changed-file: `oneilzoe_LATE_5_9003_Blocks (2).cu` was read as `blocks.cu`
        ignored: oneilzoe_LATE_5_9003_hw1.pdf
    ignored DIR/notes.txt: it is not named as Canvas names submissions, such as `lovelaceada_123_456_guard.cu`
    ");
}

/// Several attempts of one student: what was submitted last counts, file by file, and what is as it
/// was handed out never does.
#[test]
fn blackboard() {
    let root = download(&[
        ("Week_1_a_king_attempt_2026-10-01-20-00-00_guard.cu", "old"),
        ("Week_1_a_king_attempt_2026-10-01-20-00-00_blocks.cu", "b"),
        ("Week_1_a_king_attempt_2026-10-03-09-00-00_guard.cu", "new"),
        ("Week_1_a_king_attempt_2026-10-03-09-00-00_blocks.cu", "TODO"),
        ("Week_1_a_king_attempt_2026-10-03-09-00-00.txt", "Name: Ada"),
        ("Week_1_cb_attempt_2026-10-02-23-59-00_all.zip", "not a zip"),
    ]);
    let roster = "Last Name,First Name,Username\nKing,Ada,a_king\nBabbage,Charles,cb\n";
    let naming = Naming::of_platform(Platform::Blackboard);
    insta::assert_snapshot!(found(root.path(), &naming, roster), @r"
    a_king 2026-10-03T13:00:00Z: Week_1_a_king_attempt_2026-10-01-20-00-00_blocks.cu = b, Week_1_a_king_attempt_2026-10-03-09-00-00_guard.cu = new
        other-file: `Week_1_a_king_attempt_2026-10-03-09-00-00_blocks.cu` was not graded, because `Week_1_a_king_attempt_2026-10-01-20-00-00_blocks.cu` was: it is as it was handed out
        other-file: `Week_1_a_king_attempt_2026-10-01-20-00-00_guard.cu` was not graded, because `Week_1_a_king_attempt_2026-10-03-09-00-00_guard.cu` was: it was submitted earlier
        ignored: Week_1_a_king_attempt_2026-10-01-20-00-00_guard.cu: it was submitted earlier
        ignored: Week_1_a_king_attempt_2026-10-03-09-00-00_blocks.cu: it is as it was handed out
    cb 2026-10-03T03:59:00Z: the archive is damaged (it is no zip): make it again
    ignored DIR/Week_1_a_king_attempt_2026-10-03-09-00-00.txt: the platform added it
    ");
}

#[test]
fn brightspace() {
    let root = download(&[
        ("index.html", ""),
        ("98-11 - Ada Lovelace - Oct 2, 2026 1100 PM/guard.cu", "g"),
        ("98-12 - Zoë O'Neil - Oct 3, 2026 905 AM/blocks (1).cu", "z"),
        ("98-12 - Zoë O'Neil - Oct 3, 2026 905 AM/blocks.cu", "TODO"),
        ("98-13 - Emmy Noether - Oct 3, 2026 905 AM/blocks.cu", "n"),
    ]);
    let roster =
        "OrgDefinedId,Username,Last Name,First Name\n1,ada,Lovelace,Ada\n2,zoe,O'Neil,Zoë\n";
    let naming = Naming::of_platform(Platform::Brightspace);
    insta::assert_snapshot!(found(root.path(), &naming, roster), @r"
    98-13 - Emmy Noether 2026-10-03T13:05:00Z: blocks.cu = n
    ada 2026-10-03T03:00:00Z: guard.cu = g
    zoe 2026-10-03T13:05:00Z: blocks (1).cu = z
        other-file: `blocks.cu` was not graded, because `blocks (1).cu` was: it is as it was handed out
        changed-file: `blocks (1).cu` was read as `blocks.cu`
        ignored: blocks.cu: it is as it was handed out
    ignored DIR/index.html: the platform added it
    ");
}

/// Its folders have numbers alone, and a group shares one.
#[test]
fn gradescope() {
    let metadata = "---\nsubmission_456:\n  :submitters:\n  - :name: Ada Lovelace\n    :sid: '42'\n    :email: ada@x.edu\n  - :name: Charles Babbage\n    :sid: '43'\n    :email: cb@x.edu\n  :created_at: 2026-10-02 23:00:00.000000000 Z\n";
    let root = download(&[
        ("submission_metadata.yml", metadata),
        ("submission_456/guard.cu", "g"),
        ("submission_457/guard.cu", "whose?"),
    ]);
    let roster =
        "First Name,Last Name,SID,Email\nAda,Lovelace,42,ada@x.edu\nCharles,Babbage,43,cb@x.edu\n";
    let naming = Naming::of_platform(Platform::Gradescope);
    insta::assert_snapshot!(found(root.path(), &naming, roster), @r"
    ada@x.edu 2026-10-02T23:00:00Z: guard.cu = g
    cb@x.edu 2026-10-02T23:00:00Z: guard.cu = g
    ignored DIR/submission_457: `submission_metadata.yml` does not mention it
    ignored DIR/submission_metadata.yml: the platform added it
    ");
    fs::remove_file(root.path().join("submission_metadata.yml")).unwrap();
    insta::assert_snapshot!(found(root.path(), &naming, roster), @"refused for DIR: `DIR`: it has no `submission_metadata.yml`, which says whose each folder is: give the folder that has it, or export the submissions again");
}

/// Cells of a notebook are files; of two cells for one file the later one counts.
#[test]
fn notebooks_and_columns() {
    let notebook = r##"{"nbformat": 4, "cells": [
        {"cell_type": "markdown", "source": ["%%writefile guard.cu\n"]},
        {"cell_type": "code", "source": ["%%writefile src/guard.cu\n", "first"]},
        {"cell_type": "code", "source": "%%exercise blocks\nb"},
        {"cell_type": "code", "source": ["%%writefile guard.cu\n", "second"]}]}"##;
    let root = download(&[("u1/hw1.ipynb", notebook), ("u2/hw1.ipynb", "{"), ("u2/guard.cu", "g")]);
    let naming = Naming::of_column("Number".to_owned());
    let roster = "id,Number\nada,u1\ncharles,U2\n";
    insta::assert_snapshot!(found(root.path(), &naming, roster), @r"
    ada: hw1.ipynb (cell 2) = // %%exercise blocks
    b, hw1.ipynb (cell 3) = // %%writefile guard.cu
    second
        other-file: `hw1.ipynb (cell 1)` was not graded, because `hw1.ipynb (cell 3)` was: its copy has a lower number
        ignored: hw1.ipynb (cell 1): its copy has a lower number
    charles: guard.cu = g
        unread-file: `hw1.ipynb` was not read: it is no notebook that can be read
        ignored: hw1.ipynb: it is no notebook that can be read
    ");
}

/// nbgrader collects notebooks as `submitted/STUDENT/ASSIGNMENT/NAME.ipynb`. A cell that is still
/// as it was handed out counts less than one with the student's work, wherever the two are, and
/// options after the name of an exercise change nothing.
#[test]
fn notebooks_that_nbgrader_collects() {
    let cell = |text: &str| {
        format!(r#"{{"nbformat": 4, "cells": [{{"cell_type": "code", "source": "{text}"}}]}}"#)
    };
    let (work, original) =
        (cell("%%exercise guard --seed 3\\nwork"), cell("%%exercise guard\\nTODO\\n"));
    let root = download(&[
        ("ada/ch01/ch01_1.ipynb", &work),
        ("ada/ch01/timestamp.txt", "2026-10-02 20:00:00 UTC"),
        ("ada/ch01/ch01_5_checkpoint.ipynb", &cell("%progress")),
        ("ada/ch02/copy.ipynb", &original),
        ("ada/ch02/lost.ipynb", &cell("__global__ void guard() {}")),
        ("charles/ch01/ch01_1.ipynb", &work),
    ]);
    insta::assert_snapshot!(found_by(root.path(), None, "id\nada\ncharles\n"), @r"
    ada: ch01/ch01_1.ipynb (cell 1) = // %%exercise guard --seed 3
    work
        other-file: `ch02/copy.ipynb (cell 1)` was not graded, because `ch01/ch01_1.ipynb (cell 1)` was: it is as it was handed out
        unread-file: `ch02/lost.ipynb` was not read: no cell of it begins with `%%exercise NAME` or `%%writefile NAME.cu`
        ignored: ch01/ch01_5_checkpoint.ipynb: it has no exercise
        ignored: ch01/timestamp.txt
        ignored: ch02/copy.ipynb (cell 1): it is as it was handed out
        ignored: ch02/lost.ipynb: no cell of it begins with `%%exercise NAME` or `%%writefile NAME.cu`
    charles: ch01/ch01_1.ipynb (cell 1) = // %%exercise guard --seed 3
    work
    ");
}

/// A notebook with its figures and outputs is larger than any exercise.
#[test]
fn notebooks_may_be_large() {
    let notebook = format!(
        r#"{{"nbformat": 4, "cells": [{{"cell_type": "code", "source": "%%exercise guard\nwork", "outputs": ["{}"]}}]}}"#,
        "x".repeat(2 << 20)
    );
    let root = download(&[("ada/hw1.ipynb", &notebook)]);
    let found = found_by(root.path(), None, "id\nada\n");
    assert!(found.starts_with("ada: hw1.ipynb (cell 1) = // %%exercise guard\nwork"), "{found}");
}

/// Earlier attempts are kept for policies by which they may count: their own text each, with its
/// time, and without what was still as handed out.
#[test]
fn earlier_attempts_are_kept() {
    let name = |at: &str, file: &str| format!("W_ada_attempt_2026-10-0{at}-20-00-00_{file}");
    let files = [
        (name("1", "guard.cu"), "TODO\n"),
        (name("2", "guard.cu"), "one"),
        (name("3", "guard.cu"), "two"),
        (name("3", "blocks.cu"), "b"),
        (name("4", "guard.cu"), "three"),
    ];
    let files: Vec<(&str, &str)> =
        files.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    let root = download(&files);
    let (naming, course) = (Naming::of_platform(Platform::Blackboard), course());
    let zone = TimeZone::UTC;
    let search = Search { naming: Some(&naming), zone: Some(&zone), ..Search::by_id(&course) };
    let found = many(&[root.path().to_path_buf()], &search);
    let read = |versions| {
        let limits = Limits { versions, ..Limits::default() };
        read(&found.submissions[0], &course, &limits).unwrap()
    };
    let all = read(20);
    let shown = |submitted: &Submitted| -> Vec<String> {
        let one = |file: &SubmittedFile| {
            let at = file.at.map(|at| at.strftime("%d").to_string()).unwrap_or_default();
            format!("{} {at} {}", file.exercise, String::from_utf8_lossy(&file.bytes))
        };
        submitted.versions.iter().map(one).collect()
    };
    assert_eq!(shown(&all), ["guard 02 one", "guard 03 two"]);
    assert_eq!(shown(&read(1)), ["guard 03 two"]);
    assert_ne!(read(1).hash, all.hash);
}

/// A browser saves a second download as a copy beside the file as handed out, and editors write
/// other encodings. Both cost nothing, and the record says what was read.
#[test]
fn copies_and_encodings_are_read_with_a_remark() {
    let root = download(&[("guard.cu", "TODO\n"), ("guard (1).cu", "mine")]);
    fs::write(root.path().join("blocks.cu"), b"// gr\xf6\xdfer\nint x;\n\x1a").unwrap();
    let place = SubmissionPath::one("ada".to_owned(), root.path().to_path_buf());
    let submitted = read(&place, &course(), &Limits::default()).unwrap();
    let texts: Vec<String> =
        submitted.files.iter().map(|f| String::from_utf8_lossy(&f.bytes).into_owned()).collect();
    assert_eq!(texts, ["// gr\u{f6}\u{df}er\nint x;\n", "mine"]);
    let notes: Vec<String> =
        submitted.notes.iter().map(|note| format!("{}: {}", note.what, note.detail)).collect();
    insta::assert_snapshot!(notes.join("\n"), @r"
    changed-file: `blocks.cu` was read as Windows-1252 (Latin-1), read without the end-of-file character at its end
    other-file: `guard.cu` was not graded, because `guard (1).cu` was: it is as it was handed out
    changed-file: `guard (1).cu` was read as `guard.cu`
    ");
}

/// Students whom nothing tells apart are all refused with the file's name, also beside a submission
/// that is certain, and a folder with an id says whose a file is.
#[test]
fn namesakes() {
    let root = download(&[
        ("zhangwei_101_1_guard.cu", "one"),
        ("zhangwei_102_2_guard.cu", "two"),
        ("leeann_103_3_guard.cu", "a"),
    ]);
    let roster = "Student,SIS Login ID\n\"Zhang, Wei\",wz1\n\"Zhang, Wei\",#wz2\n\"Lee, Ann\",al\n";
    let naming = Naming::of_platform(Platform::Canvas);
    insta::assert_snapshot!(found(root.path(), &naming, roster), @r"
    al: leeann_103_3_guard.cu = a
    refused for wz1: `DIR/zhangwei_101_1_guard.cu` may be of `wz1` or `#wz2`: move it into a folder with the id of the student as its name, such as `wz1/`, beside the other names
    refused for #wz2: `DIR/zhangwei_101_1_guard.cu` may be of `wz1` or `#wz2`: move it into a folder with the id of the student as its name, such as `wz1/`, beside the other names
    refused for wz1: `DIR/zhangwei_102_2_guard.cu` may be of `wz1` or `#wz2`: move it into a folder with the id of the student as its name, such as `wz1/`, beside the other names
    refused for #wz2: `DIR/zhangwei_102_2_guard.cu` may be of `wz1` or `#wz2`: move it into a folder with the id of the student as its name, such as `wz1/`, beside the other names
    ");
    // As the message says.
    let into = |id: &str, name: &str| {
        let folder = root.path().join(id);
        fs::create_dir_all(&folder).unwrap();
        fs::rename(root.path().join(name), folder.join(name)).unwrap();
    };
    into("#wz2", "zhangwei_101_1_guard.cu");
    insta::assert_snapshot!(found(root.path(), &naming, roster), @r"
    #wz2: zhangwei_101_1_guard.cu = one
        doubt: `DIR/zhangwei_102_2_guard.cu` may be of `wz1` or `#wz2`: move it into a folder with the id of the student as its name, such as `wz1/`, beside the other names
    al: leeann_103_3_guard.cu = a
    refused for wz1: `DIR/zhangwei_102_2_guard.cu` may be of `wz1` or `#wz2`: move it into a folder with the id of the student as its name, such as `wz1/`, beside the other names
    ");
    into("wz1", "zhangwei_102_2_guard.cu");
    insta::assert_snapshot!(found(root.path(), &naming, roster), @r"
    #wz2: zhangwei_101_1_guard.cu = one
    al: leeann_103_3_guard.cu = a
    wz1: zhangwei_102_2_guard.cu = two
    ");
}

/// The same for folders: the platform's folder itself is renamed, or moved into one with the id.
#[test]
fn folders_that_an_instructor_names() {
    let root = download(&[
        ("wz1/guard.cu", "renamed"),
        ("wz2/102-1 - Wei Zhang - Nov 2, 2026 1115 AM/guard.cu", "moved"),
        ("wz2/late.txt", ""),
        ("103-1 - Ann Lee - Nov 2, 2026 1016 AM/guard.cu", "a"),
    ]);
    let roster = "Username,First Name,Last Name\nwz1,Wei,Zhang\nwz2,Wei,Zhang\nal,Ann,Lee\n";
    let naming = Naming::of_platform(Platform::Brightspace);
    insta::assert_snapshot!(found(root.path(), &naming, roster), @r"
    al 2026-11-02T15:16:00Z: guard.cu = a
    wz1: guard.cu = renamed
    wz2 2026-11-02T16:15:00Z: guard.cu = moved
        ignored: late.txt
    ");
}

/// What is not named as the platform names it may be of a student without a submission, and what
/// the platform adds is no submission, but shows an attempt.
#[test]
fn students_whose_files_are_not_matched() {
    let root = download(&[
        ("Week_1_ada_attempt_2026-10-03-09-00-00.txt", "Name: Ada"),
        ("Week_1_ada_attempt_2026-10-03-09-00-00_guard.cu", "g"),
        ("Week_1_bob_attempt_2026-10-03-09-00-00.txt", "my code: ..."),
        ("late by mail cstone guard.cu", "c"),
        ("notes.txt", ""),
    ]);
    let roster = "Username\nada\nbob\ncstone\ndora\n";
    let naming = Naming::of_platform(Platform::Blackboard);
    insta::assert_snapshot!(found(root.path(), &naming, roster), @r"
    ada 2026-10-03T13:00:00Z: Week_1_ada_attempt_2026-10-03-09-00-00_guard.cu = g
    refused for bob: `DIR/Week_1_bob_attempt_2026-10-03-09-00-00.txt` is of an attempt without a file, and its text is not read
    refused for cstone: `DIR/late by mail cstone guard.cu` may be of `cstone`, and is not graded: it is not named as Blackboard names submissions, such as `Week 1_ada_attempt_2026-10-02-23-00-00_guard.cu`
    ignored DIR/Week_1_ada_attempt_2026-10-03-09-00-00.txt: the platform added it
    ignored DIR/Week_1_bob_attempt_2026-10-03-09-00-00.txt: the platform added it
    ignored DIR/late by mail cstone guard.cu: it is not named as Blackboard names submissions, such as `Week 1_ada_attempt_2026-10-02-23-00-00_guard.cu`
    ignored DIR/notes.txt: it is not named as Blackboard names submissions, such as `Week 1_ada_attempt_2026-10-02-23-00-00_guard.cu`
    ");
}

/// Two accounts with one name are not silently one student, when the roster has only one of them.
#[test]
fn a_namesake_outside_the_roster() {
    let root = download(&[
        ("Wei Zhang_11_assignsubmission_file_/guard.cu", "one"),
        ("Wei Zhang_12_assignsubmission_file_/blocks.cu", "two"),
    ]);
    let moodle = Naming::of_platform(Platform::Moodle);
    let by_name = found(root.path(), &moodle, "id,name\nwz,Wei Zhang\n");
    assert!(by_name.contains("doubt: the files of several accounts"), "{by_name}");
    assert!(by_name.contains("`Wei Zhang_11`, `Wei Zhang_12`"), "{by_name}");
    let numbered = "Identifier,Full name\nParticipant 11,Wei Zhang\nParticipant 12,Wei Zhang\n";
    assert!(!found(root.path(), &moodle, numbered).contains("doubt"));
}

/// Text that was typed into Canvas is an attempt, and is not read.
#[test]
fn text_entries_of_canvas() {
    let root = download(&[
        ("lovelaceada_123_text.html", "<p>see files"),
        ("lovelaceada_123_9001_guard.cu", "g"),
        ("babbagecharles_LATE_7_text.html", "<p>my code"),
    ]);
    let roster = "Student,ID,SIS Login ID\n\"Lovelace, Ada\",123,ada\n\"Babbage, Charles\",7,cb\n";
    let naming = Naming::of_platform(Platform::Canvas);
    insta::assert_snapshot!(found(root.path(), &naming, roster), @"
    ada: lovelaceada_123_9001_guard.cu = g
    refused for cb: `DIR/babbagecharles_LATE_7_text.html` is of an attempt without a file, and its text is not read
    ignored DIR/babbagecharles_LATE_7_text.html: the platform added it
    ignored DIR/lovelaceada_123_text.html: the platform added it
    ");
}

/// Both forms of Unicode are one name, in a download and without a platform.
#[test]
fn names_from_a_mac() {
    let root = download(&[("98-12 - Zoe\u{308} O'Neil - Oct 3, 2026 905 AM/guard.cu", "z")]);
    let roster = "Username,Last Name,First Name\nzoe,O'Neil,Zoë\n";
    let naming = Naming::of_platform(Platform::Brightspace);
    insta::assert_snapshot!(found(root.path(), &naming, roster), @"zoe 2026-10-03T13:05:00Z: guard.cu = z");
    let root = download(&[("Zoe\u{308}/guard.cu", "z"), ("ada/guard.cu", "a")]);
    insta::assert_snapshot!(found_by(root.path(), None, "id\nZoë\nada\n"), @"
    Zoë: guard.cu = z
    ada: guard.cu = a
    ");
}

/// One file of an exercise beside the students does not make a class one student; a student's own
/// folders beside a file do not make a student a class.
#[test]
fn a_stray_file_beside_students() {
    let files = [
        ("ada/guard.cu", "a"),
        ("bob/guard.cu", "b"),
        ("carl/guard.cu", "c"),
        ("guard.cu", "stray"),
    ];
    let root = download(&files);
    insta::assert_snapshot!(found_by(root.path(), None, "id\nada\nbob\ncarl\n"), @r"
    ada: guard.cu = a
    bob: guard.cu = b
    carl: guard.cu = c
    ignored DIR/guard.cu: it lies beside the students' folders, so it is not clear whose it is
    ");
    insta::assert_snapshot!(found_by(root.path(), None, "id\ns1\n"), @"refused for DIR: `DIR`: `guard.cu` lies beside folders or archives that look like several students': move it away to grade each of them, or give a roster that has their ids");
    let old = download(&[files[0], files[1], files[3]]);
    let one = found_by(old.path(), None, "id\ns1\n");
    assert!(one.contains(": guard.cu = stray"), "old versions beside the new one: {one}");
    // In a download, a folder of the platform's names is never one student.
    let root = download(&[
        ("Ada Lovelace_77_assignsubmission_file_/guard.cu", "a"),
        ("guard.cu", "stray"),
    ]);
    let naming = Naming::of_platform(Platform::Moodle);
    insta::assert_snapshot!(found(root.path(), &naming, "id,name\nada,Ada Lovelace\n"), @r"
    ada: guard.cu = a
    ignored DIR/guard.cu: it is not named as Moodle names submissions, such as `Ada Lovelace_1234567_assignsubmission_file_`
    ");
}

/// Nothing that one student submits may make a class one submission, so that all others are missing
/// without a word: neither a file nor a folder called like those of an exercise, and however the
/// others' files lie.
#[test]
fn what_lies_beside_a_class_never_replaces_it() {
    let students = ["ada", "bob", "carl", "dora"];
    for stray in ["guard.cu", "exercises/guard.cu", "ch01_threads/x.txt"] {
        for inner in
            ["", "ch01_threads/", "exercises/ch01_threads/", "hw1/repo/exercises/ch01_threads/"]
        {
            let names = students.map(|student| format!("{student}/{inner}guard.cu"));
            let mut files: Vec<(&str, &str)> =
                names.iter().map(|name| (name.as_str(), "x")).collect();
            files.push((stray, "stray"));
            let found = found_by(download(&files).path(), None, "id\ns1\n");
            assert!(found.starts_with("refused for DIR"), "{stray} beside {inner}: {found}");
        }
        let archives = students.map(|student| format!("{student}.zip"));
        let mut files: Vec<(&str, &str)> =
            archives.iter().map(|name| (name.as_str(), "PK")).collect();
        files.push((stray, "stray"));
        let found = found_by(download(&files).path(), None, "id\ns1\n");
        assert!(found.starts_with("refused for DIR"), "{stray} beside archives: {found}");
    }
    // a learner's whole workbook is one submission
    let own = download(&[
        ("exercises/ch01_threads/guard.cu", "mine"),
        ("solutions/ch01_threads/guard.cu", "x"),
        ("backup/exercises/ch01_threads/guard.cu", "x"),
        ("notes/a.txt", "x"),
    ]);
    let found = found_by(own.path(), None, "id\ns1\n");
    assert!(found.contains("guard.cu = mine"), "{found}");
}

/// Unpacking often makes a further folder; the wrong platform is named, and an archive is not read.
#[test]
fn where_the_names_lie() {
    let name = "hw1/Ada Lovelace_77_assignsubmission_file_/guard.cu";
    let root = download(&[(name, "a"), (".DS_Store", "")]);
    let roster = "id,name\nada,Ada Lovelace\n";
    let moodle = Naming::of_platform(Platform::Moodle);
    assert_eq!(found(root.path(), &moodle, roster), "ada: guard.cu = a");
    let canvas = Naming::of_platform(Platform::Canvas);
    insta::assert_snapshot!(found(&root.path().join("hw1"), &canvas, roster), @r"
    refused for DIR: `DIR`: these are names of Moodle's downloads: give `--from moodle`
    ignored DIR/Ada Lovelace_77_assignsubmission_file_: it is not named as Canvas names submissions, such as `lovelaceada_123_456_guard.cu`
    ");
    let empty = download(&[("a/b.txt", ""), ("c.txt", "")]);
    insta::assert_snapshot!(found(empty.path(), &canvas, roster), @r"
    refused for DIR: `DIR`: none of its names is one of Canvas's downloads, such as `lovelaceada_123_456_guard.cu`
    ignored DIR/a: it is not named as Canvas names submissions, such as `lovelaceada_123_456_guard.cu`
    ignored DIR/c.txt: it is not named as Canvas names submissions, such as `lovelaceada_123_456_guard.cu`
    ");
    fs::write(root.path().join("hw1.zip"), "PK").unwrap();
    let zip = found(&root.path().join("hw1.zip"), &moodle, roster);
    assert!(zip.contains("unpack it into a folder"), "{zip}");
    // Without a platform, the roster knows the students.
    let root = download(&[("hw1/ada/guard.cu", "a"), ("hw1/bob/guard.cu", "b")]);
    insta::assert_snapshot!(found_by(root.path(), None, "id\nada\nbob\n"), @"
    ada: guard.cu = a
    bob: guard.cu = b
    ");
    let metadata = "---\nsubmission_456:\n  :submitters:\n  - :name: Ada Lovelace\n";
    let root = download(&[
        ("export/submission_metadata.yml", metadata),
        ("export/submission_456/guard.cu", "g"),
    ]);
    let gradescope = Naming::of_platform(Platform::Gradescope);
    assert!(found(root.path(), &gradescope, roster).starts_with("ada: guard.cu = g"));
}

/// A student imitates the platform's names in the name of a file. The file stays the student's, and
/// late, and the other student's grade doesn't change.
#[test]
fn a_student_imitates_the_platforms_names() {
    let root = download(&[
        ("Week 1_bob_attempt_2026-10-02-20-00-00_blocks.cu", "b"),
        (
            "Week 1_mallory_attempt_2026-10-05-20-00-00_bob_attempt_2026-10-06-20-00-00_blocks.cu",
            "m",
        ),
        (
            "Week 1_mallory_attempt_2026-10-05-20-00-00_mallory_attempt_2026-10-01-10-00-00_guard.cu",
            "g",
        ),
    ]);
    let naming = Naming::of_platform(Platform::Blackboard);
    let found = found(root.path(), &naming, "Username\nbob\nmallory\n");
    assert!(found.starts_with("bob 2026-10-03T00:00:00Z: Week 1_bob_attempt_2026-10-02-20-00-00_blocks.cu = b\nmallory 2026-10-06T00:00:00Z: "), "{found}");
    let doubts: Vec<&str> = found.lines().filter(|line| line.contains("doubt")).collect();
    assert_eq!(doubts.len(), 2, "{found}");
    let looks = "_blocks.cu`: the student's own name for this file looks like the platform's names";
    assert!(doubts.iter().any(|line| line.contains(looks)), "{doubts:?}");
}

/// Names that look like another student's id take nothing from that student: the submission with
/// exactly this id is graded, with a flag for the instructor.
#[test]
fn names_that_look_like_another_students_id() {
    let others = ["bob ", "\u{a0}bob", "b\u{200b}ob", "bob\n"];
    for other in others {
        let root = download(&[
            ("bob/guard.cu", "honest"),
            (&format!("{other}/guard.cu"), "hostile"),
            ("ada/guard.cu", "a"),
        ]);
        let found = found_by(root.path(), None, "id\nada\nbob\n");
        let lines: Vec<&str> = found.lines().collect();
        let [ada, bob, doubt] = lines.as_slice() else { panic!("{other:?}: {found}") };
        assert_eq!((*ada, *bob), ("ada: guard.cu = a", "bob: guard.cu = honest"), "{other:?}");
        assert!(doubt.contains("was not graded, because its name is only similar"), "{doubt}");
    }
    // the same without a class list, where the names are all that is known
    let root = download(&[("bob/guard.cu", "honest"), ("bob .zip", "hostile")]);
    let course = course();
    let found = many(&[root.path().to_path_buf()], &Search::by_id(&course));
    let of_bob: Vec<_> = found.submissions.iter().map(|one| (&*one.id, one.doubts.len())).collect();
    assert_eq!((of_bob, found.refused.len()), (vec![("bob", 1)], 0));
    // a pattern and a column
    let pattern = Naming::of_pattern("^(?<id>.+)$", None).unwrap();
    let root = download(&[("bob/guard.cu", "honest"), (" bob/guard.cu", "hostile")]);
    let by_pattern = found_by(root.path(), Some(&pattern), "id\nbob\n");
    assert!(by_pattern.starts_with("bob: guard.cu = honest\n    doubt: "), "{by_pattern}");
    let column = Naming::of_column("Number".to_owned());
    let root = download(&[("u1/guard.cu", "honest"), ("U1/guard.cu", "hostile")]);
    let by_column = found_by(root.path(), Some(&column), "id,Number\nbob,u1\n");
    assert!(by_column.starts_with("bob: guard.cu = honest\n    doubt: "), "{by_column}");
}
