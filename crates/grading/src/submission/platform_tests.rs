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
    let zone = TimeZone::get("America/New_York").unwrap();
    let roster = Roster::parse(roster.as_bytes(), None, Some(&zone)).unwrap();
    let course = course();
    let search = Search {
        naming: Some(naming),
        roster: Some(&roster),
        zone: Some(&zone),
        ..Search::by_id(&course)
    };
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
        for note in read.iter().flat_map(|submitted| &submitted.notes) {
            lines.push(format!("    {}: {}", note.what, note.detail));
        }
        for ignored in read.iter().flat_map(|submitted| &submitted.ignored) {
            lines.push(format!("    ignored: {ignored}"));
        }
    }
    lines.extend(found.refused.iter().map(|refused| format!("refused {}", refused.line)));
    lines.extend(found.ignored.iter().map(|one| format!("ignored {}: {}", one.path, one.why)));
    lines.join("\n").replace(root.to_str().unwrap(), "DIR")
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
    grace@x.edu: no exercise is in it; files are recognised by their names, such as `exercises/CHAPTER/NAME.cu`
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
        ignored: lovelaceada_123_9001_guard.cu
    testtudent_99: testtudent_99_9004_guard.cu = t
    zoe late: oneilzoe_LATE_5_9003_Blocks (2).cu = z
        changed-file: `oneilzoe_LATE_5_9003_Blocks (2).cu` was read as `blocks.cu`
        ignored: hw1.pdf
    ignored DIR/notes.txt: it is not named as Canvas names submissions
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
        ignored: Week_1_a_king_attempt_2026-10-01-20-00-00_guard.cu
        ignored: Week_1_a_king_attempt_2026-10-03-09-00-00_blocks.cu
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
        ignored: blocks.cu
    ignored DIR/index.html: it is not named as Brightspace names submissions
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
    ignored DIR/submission_metadata.yml: it is not named as Gradescope names submissions
    ");
    fs::remove_file(root.path().join("submission_metadata.yml")).unwrap();
    insta::assert_snapshot!(found(root.path(), &naming, roster), @"refused `DIR`: it has no `submission_metadata.yml`, which says whose each folder is: export the submissions again");
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
        ignored: hw1.ipynb (cell 1)
    charles: guard.cu = g
        ignored: hw1.ipynb: it is no notebook that can be read
    ");
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
