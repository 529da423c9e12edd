use std::collections::BTreeSet;
use std::io::ErrorKind;

use jiff::Timestamp;
use proptest::prelude::*;

use super::*;
use crate::record::{self, Group, Provenance, Score, Student, Submission, TimeFrom};

fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn file(exercise: &str, hash: &str) -> record::File {
    record::File {
        path: format!("{exercise}.cu"),
        exercise: exercise.to_owned(),
        hash: hash.to_owned(),
        bytes: 1,
        at: None,
        order: 0,
    }
}

fn record(id: &str) -> Record {
    Record {
        comment: None,
        late_days: None,
        version: VERSION,
        student: Student { id: id.to_owned(), ..Student::default() },
        made: Provenance {
            title: "grades".to_owned(),
            course: "course".to_owned(),
            policy: "policy".to_owned(),
            checker: "0.1.0".to_owned(),
            seed: "seed".to_owned(),
            rounds: 1,
            device: "simulator".to_owned(),
            sandbox: "landlock".to_owned(),
            at: time("2026-10-06T08:00:00Z"),
            zone: None,
            seconds: 1.0,
        },
        submission: Submission {
            source: format!("{id}.zip"),
            hash: "one".to_owned(),
            at: time("2026-10-05T12:00:00Z"),
            at_from: TimeFrom::FirstSeen,
            attempt: 1,
            files: vec![file("blocks", "b1"), file("guard", "g1")],
            group: None,
            ignored: vec![],
        },
        exercises: vec![],
        score: Score { complete: true, ..Score::default() },
        flags: vec![],
    }
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Each name can be made on every file system, and most can be read.
#[test]
fn file_names() {
    let all = [
        "ada",
        "ada@example.org",
        "u1042",
        "Ada",
        "ada lovelace",
        "O'Neil, Zoë",
        "../../etc/passwd",
        "con",
        "com7.x",
        "nul",
        "",
        ".",
        "..",
        "-rf",
        "a\nb",
        "a%20b",
        "=1+2",
        "~",
    ];
    let names: Vec<String> = all.iter().map(|id| format!("{id:?} -> {}", file_name(id))).collect();
    insta::assert_snapshot!(names.join("\n"), @r#"
    "ada" -> ada.json
    "ada@example.org" -> ada@example.org.json
    "u1042" -> u1042.json
    "Ada" -> Ada~99a563ab2f6e21e96998f9fddd2a2bab.json
    "ada lovelace" -> ada%20lovelace.json
    "O'Neil, Zoë" -> O%27Neil%2c%20Zo%c3%ab~560d163f3e0dafdf6c7ec7b40ac6209c.json
    "../../etc/passwd" -> %2e.%2f..%2fetc%2fpasswd.json
    "con" -> ~1143da2bc54c495c4be31d3868785d39~con.json
    "com7.x" -> ~b4dc8d667ef76d0ae261428d5eab970e~com7.x.json
    "nul" -> ~99e6242759016035192f8efe5f53878a~nul.json
    "" -> ~e3b0c44298fc1c149afbf4c8996fb924.json
    "." -> %2e.json
    ".." -> %2e..json
    "-rf" -> %2drf.json
    "a\nb" -> a%0ab.json
    "a%20b" -> a%2520b.json
    "=1+2" -> %3d1+2.json
    "~" -> %7e.json
    "#);
    assert!(file_name(&"x".repeat(5000)).len() <= 200);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    /// No two ids share a file, on file systems without upper and lower case neither, and none
    /// leaves the folder.
    #[test]
    fn any_two_ids(ids in prop::collection::btree_set("[aAbB.~%/\\\\ é0-]{0,4}|(?i)(con|com1|nul)(\\.[a-z])?|.{0,3}|a{98,103}", 2..30)) {
        let names: BTreeSet<String> = ids.iter().map(|id| file_name(id).to_lowercase()).collect();
        prop_assert_eq!(names.len(), ids.len());
        for name in names {
            prop_assert!(name.bytes().all(|byte| byte.is_ascii_graphic() && !b"/\\:*?\"<>|".contains(&byte)), "{}", name);
            prop_assert!(!name.starts_with(['.', '-']) && name.len() < 200);
            let stem = name.split('.').next().unwrap();
            prop_assert!(!["con", "nul", "com1"].contains(&stem), "{}", name);
        }
    }
}

/// A written record is read back, and no other file is left in the folder.
#[test]
fn round_trip() {
    let out = tempfile::tempdir().unwrap();
    let store = Store::open(&out.path().join("a/b")).unwrap();
    assert_eq!(store.read("Ada").unwrap(), None);
    for id in ["Ada", "ada", "a/b"] {
        store.write(&record(id)).unwrap();
    }
    let mut second = record("Ada");
    second.submission.attempt = 2;
    store.write(&second).unwrap();
    assert_eq!(store.read("Ada").unwrap(), Some(second));
    assert_eq!(store.read("ada").unwrap(), Some(record("ada")));
    assert_eq!(names(&out.path().join("a/b/records")).len(), 3);
    fs::write(out.path().join("a/b/records/.x.part"), "half").unwrap();
    assert_eq!(store.records().unwrap().filter(Result::is_ok).count(), 3);
    assert_eq!(store.paths().unwrap().len(), 3);
}

/// One broken file names itself and its line, and the others are read.
#[test]
fn damage() {
    let out = tempfile::tempdir().unwrap();
    let store = Store::open(out.path()).unwrap();
    store.write(&record("ada")).unwrap();
    let text = fs::read_to_string(store.path("ada")).unwrap();
    fs::write(store.path("cut"), &text[..text.len() / 2]).unwrap();
    fs::write(store.path("empty"), "").unwrap();
    fs::write(store.path("newer"), "{\n  \"version\": 99,\n  \"other\": true\n}").unwrap();
    fs::write(store.path("typed"), text.replace("\"attempt\": 1", "\"attempt\": \"one\"")).unwrap();
    fs::write(store.path("other"), &text).unwrap();
    fs::write(store.path("binary"), b"\xff\xfe").unwrap();
    fs::create_dir(store.path("folder")).unwrap();
    let (good, bad): (Vec<_>, Vec<_>) = store.records().unwrap().partition(Result::is_ok);
    assert_eq!(good.len(), 2);
    let here = out.path().join("records");
    let mut lines: Vec<String> = bad.into_iter().map(|one| one.unwrap_err().to_string()).collect();
    lines.push(store.read("other").unwrap_err().to_string());
    insta::assert_snapshot!(lines.join("\n").replace(here.to_str().unwrap(), "OUT"), @r#"
    OUT/binary.json:1: it cannot be read: stream did not contain valid UTF-8
    OUT/cut.json:23: it is no whole record (EOF while parsing a string at line 23 column 6): grade this student again
    OUT/empty.json:1: it is no whole record (EOF while parsing a value at line 1 column 0): grade this student again
    OUT/folder.json:1: it is no record: not a file, or far too large
    OUT/newer.json:1: it has version 99, and this checker reads 1: use the checker that made it
    OUT/typed.json:23: it is no whole record (invalid type: string "one", expected u32 at line 23 column 20): grade this student again
    OUT/other.json:1: it is the record of `ada`, not of `other`
    "#);
}

/// A disk that is full in the middle of a record: one line, the old record is whole, and no half of
/// the new one is left.
#[test]
fn a_full_disk() {
    let out = tempfile::tempdir().unwrap();
    let store = Store::open(out.path()).unwrap();
    store.write(&record("ada")).unwrap();
    let mut second = record("ada");
    second.submission.attempt = 2;
    let error = store
        .write_by(&second, |file, bytes| {
            file.write_all(&bytes[..bytes.len() / 2])?;
            Err(ErrorKind::StorageFull.into())
        })
        .unwrap_err();
    let here = out.path().join("records");
    insta::assert_snapshot!(error.to_string().replace(here.to_str().unwrap(), "OUT"), @"OUT/ada.json: the disk is full (no storage space); every record written so far is whole: make room and start again, and what is graded is not graded twice");
    assert_eq!(store.read("ada").unwrap(), Some(record("ada")));
    assert_eq!(names(&here), ["ada.json"]);
}

/// The same with the kernel refusing to write: a shell ignores the signal, lowers the limit, and
/// starts this test again.
#[cfg(unix)]
#[test]
fn a_limit_of_the_kernel() {
    const NAME: &str = "store::tests::a_limit_of_the_kernel";
    const FOLDER: &str = "GRADING_TEST_FOLDER";
    let mut large = record("ada");
    large.submission.ignored = vec!["x".repeat(100); 1000];
    if let Some(out) = std::env::var_os(FOLDER) {
        let store = Store::open(Path::new(&out)).unwrap();
        let error = store.write(&large).unwrap_err();
        assert_eq!(error.error.kind(), ErrorKind::FileTooLarge);
        assert!(error.to_string().contains("the disk is full"));
        assert_eq!(store.read("ada").unwrap(), Some(record("ada")));
        return;
    }
    let out = tempfile::tempdir().unwrap();
    let store = Store::open(out.path()).unwrap();
    store.write(&record("ada")).unwrap();
    let script = format!("trap '' XFSZ; ulimit -f 16; exec \"$0\" {NAME} --exact");
    let child = std::process::Command::new("sh")
        .arg("-c")
        .arg(script)
        .arg(std::env::current_exe().unwrap())
        .env(FOLDER, out.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success() && said.contains("1 passed"), "{said}");
    assert_eq!(names(&out.path().join("records")), ["ada.json"]);
    store.write(&large).unwrap();
}

/// A run that is started again skips what nothing has changed of, and only that.
#[test]
fn current() {
    let record = record("ada");
    let inputs = Inputs {
        submission: "one",
        course: "course",
        policy: "policy",
        checker: "0.1.0",
        seed: "seed",
        rounds: 1,
        exercises: &[],
        stated: None,
        files: &[],
        group: None,
    };
    let group = Group { name: "team".to_owned(), members: vec!["ada".to_owned()] };
    assert!(inputs.is_current(&record));
    assert!(Inputs { stated: Some(record.submission.at), ..inputs.clone() }.is_current(&record));
    let changed = [
        Inputs { submission: "two", ..inputs.clone() },
        Inputs { course: "", ..inputs.clone() },
        Inputs { policy: "", ..inputs.clone() },
        Inputs { checker: "0.2.0", ..inputs.clone() },
        Inputs { seed: "", ..inputs.clone() },
        Inputs { exercises: &["blocks"], ..inputs.clone() },
        Inputs { stated: Some(Timestamp::UNIX_EPOCH), ..inputs.clone() },
        Inputs { group: Some(&group), ..inputs.clone() },
    ];
    for changed in changed {
        assert!(!changed.is_current(&record), "{changed:?}");
    }
    // another policy or time changes points, and no run
    assert!(Inputs { policy: "", ..inputs.clone() }.has_same_runs(&record));
    assert!(
        Inputs { stated: Some(Timestamp::UNIX_EPOCH), ..inputs.clone() }.has_same_runs(&record)
    );
    for changed in [
        Inputs { submission: "two", ..inputs.clone() },
        Inputs { seed: "", ..inputs.clone() },
        Inputs { rounds: 2, ..inputs.clone() },
        Inputs { exercises: &["blocks"], ..inputs.clone() },
    ] {
        assert!(!changed.has_same_runs(&record), "{changed:?}");
    }
    let incomplete = Record { score: Score::default(), ..record };
    assert!(!inputs.is_current(&incomplete));
}

/// Grading again makes no student late and costs no attempt.
#[test]
fn arrivals() {
    let now = time("2026-10-09T08:00:00Z");
    let stated = time("2026-10-04T08:00:00Z");
    let old = record("ada");
    let of =
        |previous, hash, stated| Arrival::of(previous, hash, stated, Unstated::Now(now), &mut []);
    assert_eq!(
        of(None, "one", None),
        Arrival { at: now, at_from: TimeFrom::FirstSeen, attempt: 1 }
    );
    assert_eq!(
        of(None, "one", Some(stated)),
        Arrival { at: stated, at_from: TimeFrom::Stated, attempt: 1 }
    );
    let again = of(Some(&old), "one", None);
    assert_eq!(again, Arrival { at: old.submission.at, at_from: TimeFrom::FirstSeen, attempt: 1 });
    assert_eq!(
        of(Some(&old), "one", Some(stated)),
        Arrival { at: stated, at_from: TimeFrom::Stated, attempt: 1 }
    );
    let next = of(Some(&old), "two", None);
    assert_eq!(next, Arrival { at: now, at_from: TimeFrom::FirstSeen, attempt: 2 });
    assert!(next.is_over(Some(1)) && !next.is_over(Some(2)) && !next.is_over(None));
    let kept = over_the_cap(over_the_cap(old.clone(), 1), 1);
    assert_eq!((kept.flags.len(), &kept.submission), (1, &old.submission));
    assert_eq!(kept.flags[0].what, "over-the-cap");
}

/// A file that did not change keeps the time of the submission that brought it, over any number of
/// further ones.
#[test]
fn files_keep_their_times() {
    let first = record("ada");
    let mut files = [file("blocks", "b1"), file("guard", "g2"), file("transpose", "t1")];
    let second_at = time("2026-10-08T08:00:00Z");
    let arrival = Arrival::of(Some(&first), "two", None, Unstated::Now(second_at), &mut files);
    assert_eq!(files.clone().map(|file| file.at), [Some(first.submission.at), None, None]);
    let mut second = first.clone();
    second.submission = Submission {
        hash: "two".to_owned(),
        at: arrival.at,
        attempt: arrival.attempt,
        files: files.to_vec(),
        ..second.submission
    };
    let later = time("2026-10-20T08:00:00Z");
    let mut same = files.clone();
    same.iter_mut().for_each(|file| file.at = None);
    assert_eq!(
        Arrival::of(Some(&second), "two", None, Unstated::Now(later), &mut same).at,
        second_at
    );
    assert_eq!(same, files);
    let mut third = [file("blocks", "b1"), file("guard", "g2"), file("transpose", "t2")];
    Arrival::of(Some(&second), "three", None, Unstated::Now(later), &mut third);
    assert_eq!(third.map(|file| file.at), [Some(first.submission.at), Some(second_at), None]);
}

/// A time for all submissions without one is that of new and changed ones. A recorded submission
/// with the same bytes never gets a later time from it.
#[test]
fn a_time_for_all_makes_no_recorded_submission_late() {
    let old = record("ada");
    let (before, after) = (time("2026-10-01T08:00:00Z"), time("2026-12-01T08:00:00Z"));
    assert!(before < old.submission.at && old.submission.at < after);
    let at = |previous, hash, at| {
        let arrival = Arrival::of(previous, hash, None, Unstated::At(at), &mut []);
        (arrival.at, arrival.at_from)
    };
    let kept = (old.submission.at, TimeFrom::FirstSeen);
    assert_eq!(at(Some(&old), "one", after), kept);
    assert_eq!(at(Some(&old), "one", before), (before, TimeFrom::Stated));
    assert_eq!(at(Some(&old), "two", after), (after, TimeFrom::Stated), "changed");
    assert_eq!(at(None, "one", after), (after, TimeFrom::Stated), "new");
    let mut assumed = old.clone();
    assumed.submission.at_from = TimeFrom::Assumed;
    let on_time = (old.submission.at, TimeFrom::Assumed);
    assert_eq!(at(Some(&assumed), "one", after), on_time);
    assert_eq!(at(Some(&assumed), "one", before), on_time);
    // what did not change in a changed submission keeps its time, too
    let mut files = [file("blocks", "b1"), file("guard", "g2")];
    Arrival::of(Some(&old), "two", None, Unstated::At(after), &mut files);
    assert_eq!(files.map(|file| file.at), [Some(old.submission.at), None]);
}
