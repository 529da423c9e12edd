use jiff::Timestamp;
use proptest::prelude::*;

use super::*;
use crate::{
    plan::{Engine, Grade, PLAN},
    record::Provenance,
};

/// A record of `student`: the submission `hash` handed in in minute `at`, `points` of 10, complete
/// or not.
fn record(student: &str, hash: &str, at: i64, points: f64, complete: bool) -> Record {
    let minute = |n: i64| Timestamp::from_second(1_700_000_000 + 60 * n).unwrap();
    let status = if complete { "partial" } else { "not-graded" };
    // JSON, so that later fields get their defaults.
    let record = serde_json::json!({
        "version": record::VERSION,
        "student": { "id": student },
        "made": {
            "title": "CS 149, assignment 1", "course": "c0", "policy": "p0", "checker": "0.1.0 (3f2a)", "seed": "s0",
            "device": "simulator", "sandbox": "landlock 7, seccomp", "at": minute(1000), "seconds": 1.5,
        },
        "submission": {
            "source": format!("submissions/{student}"), "hash": hash, "at": minute(at), "at_from": "told", "attempt": 1,
            "files": [],
        },
        "exercises": [{
            "id": "blocks", "chapter": "ch01_threads", "goal": "write your first kernel", "status": status,
            "points": points, "possible": 10.0, "file": null, "report": null, "items": [], "millis": 7,
        }],
        "score": {
            "points": points, "possible": 10.0, "extra": 0.0, "penalty": 0.0, "late_days": 0, "complete": complete,
        },
    });
    serde_json::from_value(record).unwrap()
}

fn found(path: &str, record: &Record) -> RecordFile {
    RecordFile { path: path.into(), bytes: serde_json::to_vec(record).unwrap() }
}

fn ids(class: &[&str]) -> Vec<String> {
    class.iter().map(|id| (*id).to_owned()).collect()
}

/// After a night in which tasks died, every student without a usable grade is named, with the shard
/// to run again; an incomplete grade is not counted as one.
#[test]
fn missing_students_are_named() {
    let found = [
        found("out/records/ada.json", &record("ada", "a", 0, 9.0, true)),
        found("out/records/bob.json", &record("bob", "b", 0, 0.0, false)),
        found("out/records/eve.json", &record("eve", "e", 0, 5.0, true)),
        RecordFile { path: "out/records/dan.json".into(), bytes: b"{\"version\":1,".to_vec() },
        RecordFile { path: "out/records/fay.json".into(), bytes: vec![] },
        RecordFile { path: "out/records/gus.json".into(), bytes: b"{\"version\":2}".to_vec() },
    ];
    let roster = ids(&["ada", "bob", "c\u{1b}[31m\u{202e}y", "dan", "ada", "hal"]);
    let class = ids(&["ada", "bob", "c\u{1b}[31m\u{202e}y", "dan", "eve"]);
    let merged = merge(&found, &roster, &class).unwrap();
    assert!(!merged.is_whole());
    let mut plan = Plan::new(Engine::Slurm, "/class", Grade::default(), class);
    plan.shards = 8;
    insta::assert_snapshot!(merged.summary(Some(&plan), Some("sh /class/out/plan/retry.sh")));
    let open: BTreeSet<u32> = merged.ungraded().map(|id| plan.shard(id).number()).collect();
    assert_eq!(merged.shards(&plan), open.into_iter().collect::<Vec<_>>());
    // Without a plan the submitters are unknown, so the last student on the roster is missing too.
    let merged = merge(&found, &roster, &[]).unwrap();
    insta::assert_snapshot!("without_a_plan", merged.summary(None, None));
}

/// Who submitted nothing is graded and named; where one folder of several has a submission, it
/// counts, however early it came.
#[test]
fn any_submission_counts_before_none() {
    let nothing = |id: &str| {
        let mut record = record(id, "", 9, 0.0, true);
        record.submission = record::Submission::absent(record.submission.at);
        record
    };
    let found = [
        found("one/ada.json", &record("ada", "a", 0, 9.0, true)),
        found("two/ada.json", &nothing("ada")),
        found("one/bob.json", &nothing("bob")),
    ];
    let merged = merge(&found, &ids(&["ada", "bob"]), &[]).unwrap();
    assert!(merged.is_whole());
    assert_eq!(merged.summary(None, None), "2 of 2 students are graded\nsubmitted nothing: bob\n");
    assert_eq!(merged.records[0].score.points, 9.0);
    // a corrected roster has no row for the misspelt id
    let merged = merge(&found, &ids(&["ada"]), &[]).unwrap();
    assert_eq!((merged.records.len(), merged.unknown.len()), (1, 0));
}

/// The order of records is the roster's, whatever the order of files, so that two merges give the
/// same CSV.
#[test]
fn the_order_is_the_rosters() {
    let found = ["a", "b", "c"].map(|id| found(id, &record(id, id, 0, 1.0, true)));
    let merged = merge(&found, &ids(&["c", "a"]), &ids(&["b", "a"])).unwrap();
    let order: Vec<&str> = merged.records.iter().map(|r| r.student.id.as_str()).collect();
    assert_eq!((order, merged.unknown.clone()), (vec!["c", "a", "b"], ids(&["b"])));
    assert!(merged.is_whole());
    let merged = merge(&found, &[], &[]).unwrap();
    assert_eq!((merged.records.len(), merged.unknown), (3, vec![]));
}

/// A student who is in two folders gets one grade: the later submission's, the complete one's, and
/// never a worse time for the same submission; a grade that differs is reported.
#[test]
fn of_two_records_the_right_one_is_used() {
    let old = record("ada", "a", 0, 9.0, true);
    let cases = [
        // (the one used, the other, why the other is not)
        (record("ada", "b", 5, 3.0, true), old.clone(), Some(DropReason::Earlier)),
        (record("ada", "b", 5, 0.0, false), old.clone(), Some(DropReason::Earlier)),
        (old.clone(), record("ada", "a", 0, 0.0, false), Some(DropReason::LessComplete)),
        (old.clone(), record("ada", "a", 5, 9.0, true), None),
        (old.clone(), record("ada", "a", 5, 8.0, true), Some(DropReason::Disagrees)),
    ];
    for (kept, dropped, why) in cases {
        for names in [("x", "y"), ("y", "x")] {
            let merged =
                merge(&[found(names.0, &kept), found(names.1, &dropped)], &ids(&["ada"]), &[])
                    .unwrap();
            assert_eq!(merged.records, std::slice::from_ref(&kept));
            assert_eq!(merged.replaced.first().map(|r| r.why), why);
        }
    }
    let mut again = old.clone();
    again.made.seconds = 77.0;
    again.made.device = "GPU: NVIDIA H200".into();
    let merged = merge(&[found("x", &old), found("y", &again)], &ids(&["ada"]), &[]).unwrap();
    assert_eq!((merged.records.len(), merged.replaced), (1, vec![]));
}

/// Half a class graded with last week's policy is not silently merged with the other half; the line
/// says which files.
#[test]
fn different_makings_are_refused() {
    type Change = fn(&mut Provenance);
    let changes: [(&str, Change); 5] = [
        ("course", |made| made.course = "c1".into()),
        ("policy", |made| made.policy = "p1".into()),
        ("policy title", |made| made.title = "CS 149, assignment 2".into()),
        ("secret seed", |made| made.seed = String::new()),
        ("checker", |made| made.checker = "0.2.0 (77b1)".into()),
    ];
    for (what, change) in changes {
        let mut other = record("bob", "b", 0, 9.0, true);
        change(&mut other.made);
        let found = [
            found("1/ada.json", &record("ada", "a", 0, 9.0, true)),
            found("1/cyd.json", &record("cyd", "c", 0, 9.0, true)),
            found("2/bob.json", &other),
        ];
        let error = merge(&found, &ids(&["ada", "bob", "cyd"]), &[]).unwrap_err();
        assert_eq!(error.what, what);
        assert!(error.groups.last().unwrap().ends_with("in 1 record (2/bob.json)"), "{error}");
        if what == "checker" {
            insta::assert_snapshot!(error.to_string());
        }
    }
}

/// A folder is read as records only; a link or an unreadable file counts as a damaged record.
#[test]
fn a_folder_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let records = folder.path().join("records");
    std::fs::create_dir(&records).unwrap();
    let ada = record("ada", "a", 0, 9.0, true);
    std::fs::write(records.join("ada.json"), serde_json::to_vec(&ada).unwrap()).unwrap();
    std::fs::write(records.join(".bob.json.tmp"), "half of").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("/dev/zero", records.join("zero.json")).unwrap();
    let found = files::records(folder.path()).unwrap();
    let merged = merge(&found, &ids(&["ada", "bob"]), &[]).unwrap();
    assert_eq!((merged.records, merged.missing), (vec![ada], ids(&["bob"])));
    #[cfg(unix)]
    assert_eq!(merged.damaged.first().map(|d| d.reason.as_str()), Some("the file is empty"));

    assert_eq!(files::plan(folder.path()).unwrap(), None);
    std::fs::create_dir(folder.path().join("plan")).unwrap();
    let grade = Grade { program: "checker".into(), out: ".".into(), ..Grade::default() };
    let plan = Plan::new(Engine::Parallel, "/class", grade, ids(&["ada"]));
    let json = plan.files().unwrap().files.into_iter().find(|file| file.path == PLAN).unwrap();
    std::fs::write(folder.path().join("plan").join(PLAN), json.contents).unwrap();
    assert_eq!(files::plan(folder.path()).unwrap(), Some(plan));
    std::fs::write(folder.path().join("plan").join(PLAN), "{").unwrap();
    assert!(files::plan(folder.path()).unwrap_err().to_string().contains("plan.json"));
    assert!(files::records(&folder.path().join("none")).is_err());
}

proptest! {
    /// Every student is in exactly one list, whatever the folders contain and in whatever order
    /// they are read.
    #[test]
    fn every_student_is_in_exactly_one_list(
        parts in prop::collection::vec((0..6_usize, 0..3_usize, 0..4_i64, any::<bool>()), 0..12),
        order in any::<prop::sample::Index>(),
    ) {
        let class = ids(&["a", "b", "c", "d"]);
        let mut found: Vec<RecordFile> = parts.iter().enumerate().map(|(i, (student, hash, at, complete))| {
            // Two of six are not in the class.
            let record = record(&format!("{}", b"abcdxy"[*student] as char), &hash.to_string(), *at, 5.0, *complete);
            found(&format!("{i:02}.json"), &record)
        }).collect();
        let handed_in = ids(&["b", "d", "x"]);
        let merged = merge(&found, &class, &handed_in).unwrap();
        for id in &ids(&["a", "b", "c", "d", "x", "y"]) {
            let graded = merged.records.iter().filter(|r| r.student.id == *id).count();
            let missing = merged.missing.iter().filter(|m| *m == id).count();
            let absent = merged.absent.iter().filter(|m| *m == id).count();
            prop_assert_eq!(graded + missing + absent, usize::from(id != "y" || graded == 1));
            prop_assert!(absent == 0 || !handed_in.contains(id));
            prop_assert!(missing == 0 || handed_in.contains(id));
        }
        if !found.is_empty() {
            let middle = order.index(found.len());
            found.rotate_left(middle);
        }
        prop_assert_eq!(merge(&found, &class, &handed_in).unwrap(), merged);
    }

    /// Any bytes are at worst a damaged record.
    #[test]
    fn garbage_is_named(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let found = [RecordFile { path: "x.json".into(), bytes }];
        let merged = merge(&found, &ids(&["a"]), &[]).unwrap();
        prop_assert_eq!((merged.damaged.len(), merged.missing.len()), (1, 1));
    }
}
