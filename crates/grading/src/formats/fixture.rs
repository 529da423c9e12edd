//! Records for the tests of every format: a student with one exercise of each result, and one who
//! is hostile in every place that a learner or a roster can write to.

use jiff::Timestamp;

use crate::record::{
    Exercise, File, Flag, Item, Kind, Outcome, Provenance, Record, Report, Score, Show, Span,
    Status, Student, Submission, TimeFrom, VERSION,
};

/// When the fixture is looked at: after the due date, before what is hidden is revealed.
pub fn now() -> Timestamp {
    time("2026-05-05T12:00:00Z")
}

/// The class: a good student, then a hostile one.
pub fn class() -> Vec<Record> {
    vec![ada(), mallory()]
}

fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn case(name: &str, outcome: Outcome, points: f64, possible: f64) -> Item {
    Item {
        name: name.into(),
        kind: Kind::Case,
        hidden: false,
        show: Show::Verdict,
        reveal: None,
        outcome,
        given: false,
        points,
        possible,
        extra: 0.0,
        slug: "passed".into(),
        message: "passed".into(),
        line: None,
        again: None,
        millis: 12,
        speed: None,
    }
}

fn held(name: &str, points: f64) -> Item {
    case(name, Outcome::Held, points, points)
}

fn wrong(name: &str, possible: f64, slug: &str, message: &str, line: Option<u32>) -> Item {
    let again = Some(format!("checker check --case '{name}' --seed 7"));
    Item {
        slug: slug.into(),
        message: message.into(),
        line,
        again,
        ..case(name, Outcome::Failed, 0.0, possible)
    }
}

fn not_run(name: &str, possible: f64) -> Item {
    let message = "not run: the file does not compile".to_owned();
    Item { slug: "not-run".into(), message, ..case(name, Outcome::NotRun, 0.0, possible) }
}

fn gate(item: Item) -> Item {
    Item { kind: Kind::Gate, ..item }
}

fn secret(show: Show, item: Item) -> Item {
    let again = item.again.map(|again| again.replace("--seed 7", "--seed 16045690984503098046"));
    Item { hidden: true, show, again, reveal: Some(time("2026-06-01T00:00:00Z")), ..item }
}

fn exercise(chapter: &str, id: &str, status: Status, items: Vec<Item>) -> Exercise {
    Exercise {
        status,
        points: items.iter().map(|item| item.points).sum(),
        possible: items.iter().map(|item| item.possible).sum(),
        due: Some(time("2026-05-01T21:59:00Z")),
        file: Some(format!("exercises/{chapter}/{id}.cu")),
        items,
        millis: 1234,
        ..Exercise::missing(id, chapter, "write it")
    }
}

fn span(line: u32, column: u32, length: u32, label: &str, primary: bool) -> Span {
    Span { line, column, length, label: label.into(), primary }
}

fn record(student: Student, exercises: Vec<Exercise>) -> Record {
    let counted = |exercise: &&Exercise| !exercise.bonus;
    let extra = exercises.iter().filter(|exercise| exercise.bonus).map(|one| one.points).sum();
    let penalty = exercises.iter().map(|exercise| exercise.penalty).sum::<f64>();
    let score = Score {
        points: exercises.iter().map(|exercise| exercise.points).sum::<f64>() - penalty,
        possible: exercises.iter().filter(counted).map(|exercise| exercise.possible).sum(),
        extra,
        penalty,
        late_days: exercises.iter().map(|exercise| exercise.late_days).sum(),
        complete: exercises.iter().all(|exercise| exercise.status != Status::NotGraded),
    };
    let files = exercises.iter().filter_map(|exercise| {
        let path = exercise.file.clone()?;
        let hash = crate::seed::sha256(path.as_bytes());
        Some(File { path, exercise: exercise.id.clone(), hash, bytes: 1042, at: None, order: 0 })
    });
    Record {
        comment: None,
        late_days: None,
        version: VERSION,
        student,
        made: Provenance {
            title: "CS 149, assignment 1".into(),
            course: "c0ffee".into(),
            policy: "decade".into(),
            checker: "0.1.0 (3f2a)".into(),
            seed: "5eed".into(),
            rounds: 1,
            device: "simulator".into(),
            sandbox: "landlock 7, seccomp".into(),
            at: time("2026-05-04T03:00:00Z"),
            zone: None,
            seconds: 17.25,
        },
        submission: Submission {
            source: "submissions/ada".into(),
            hash: "ab5e".into(),
            at: time("2026-05-02T08:00:00Z"),
            at_from: TimeFrom::Stated,
            attempt: 2,
            files: files.collect(),
            group: None,
            ignored: vec![],
        },
        exercises,
        score,
        flags: vec![Flag {
            what: "contained".into(),
            exercise: Some("tile_sum".into()),
            detail: "opened a file".into(),
        }],
    }
}

fn ada() -> Record {
    let id = "ada".to_owned();
    let name = Some("Lovelace, Ada".to_owned());
    let columns = [("SIS User ID".to_owned(), "u1042".to_owned())].into();
    record(
        Student { id, name, columns },
        vec![
            passed(),
            partial(),
            hidden(),
            withheld(),
            compile_error(),
            costly(),
            stopped(),
            not_begun(),
            missing(),
            not_graded(),
            excused(),
        ],
    )
}

fn passed() -> Exercise {
    let items = vec![
        held("one block", 1.0),
        held("five blocks", 1.0),
        secret(Show::Verdict, held("five blocks", 1.0)),
        Item {
            extra: 1.0,
            ..gate(wrong("instructions <= 9000", 0.0, "gate-missed", "9212 instructions", None))
        },
        Item { given: true, ..held("no bank conflicts", 0.0) },
    ];
    exercise("ch01_threads", "blocks", Status::Passed, items)
}

fn partial() -> Exercise {
    let message = "thread 1024 writes out[1024], which has 1000 elements";
    let items = vec![
        held("n = 1024", 1.0),
        wrong("n = 1000", 2.0, "out-of-bounds-write", message, Some(12)),
        wrong("n = 1", 1.5, "out-of-bounds-write", "thread 1 writes out[1]", Some(12)),
    ];
    let report = Report {
        slug: "out-of-bounds-write".into(),
        passed: false,
        title: message.into(),
        case: Some("case `n = 1000` (n = 1000, grid 4, block 256)".into()),
        spans: vec![
            span(10, 5, 1, "i is 1024 here", false),
            span(12, 9, 6, "out[i] is written here", true),
        ],
        table: vec![],
        notes: vec!["24 threads do the same".into()],
        think: Some("how many threads run, and how many elements are there?".into()),
        learn: Some("chapter 1, \"The last block\" · checker explain out-of-bounds-write".into()),
        again: Some("checker check guard --case 'n = 1000' --seed 7".into()),
        printed: Some("i = 1024\ni = 1025\n".into()),
        device: "simulator".into(),
        ..Report::default()
    };
    let mut exercise = exercise("ch01_threads", "guard", Status::Partial, items);
    exercise.report = Some(report);
    exercise.late_days = 2;
    exercise.penalty = 0.25;
    exercise
}

fn hidden() -> Exercise {
    let items = vec![
        held("one warp", 1.0),
        secret(Show::Verdict, wrong("one warp", 2.0, "wrong-values", "out[3] is wrong", Some(7))),
        secret(Show::Nothing, held("n = 12345", 2.0)),
    ];
    let report = Report {
        slug: "wrong-values".into(),
        title: "out[3] is wrong".into(),
        case: Some("case `one warp` (n = 31)".into()),
        table: vec![
            vec!["index".into(), "yours".into(), "expected".into()],
            vec!["3".into(), "0".into(), "1042".into()],
        ],
        again: Some("checker check warp_sum --case 'one warp' --seed 16045690984503098046".into()),
        ..Report::default()
    };
    let mut exercise = exercise("ch02_warps", "warp_sum", Status::Partial, items);
    exercise.report = Some(report);
    exercise.report_hidden = true;
    exercise
}

fn withheld() -> Exercise {
    let items = vec![
        held("one warp", 1.0),
        secret(Show::Nothing, held("n = 54321", 2.0)),
        secret(
            Show::Nothing,
            wrong("n = 98765", 2.0, "shared-race", "thread 4 reads all[3]", None),
        ),
    ];
    let mut exercise = exercise("ch02_warps", "ballot", Status::Partial, items);
    exercise.report = Some(Report {
        slug: "shared-race".into(),
        title: "thread 4 reads all[3]".into(),
        ..Report::default()
    });
    exercise.report_hidden = true;
    exercise
}

fn compile_error() -> Exercise {
    let items = vec![
        not_run("one block", 1.0),
        not_run("five blocks", 2.0),
        gate(not_run("bytes read <= 4096", 1.0)),
    ];
    let mut exercise = exercise("ch03_shared", "transpose", Status::Failed, items);
    exercise.report = Some(Report {
        slug: "compile-error".into(),
        title: "expected a ';'".into(),
        spans: vec![span(31, 17, 1, "expected a ';'", true)],
        ..Report::default()
    });
    exercise
}

fn costly() -> Exercise {
    let measured = "32 sectors per request, and 4 would do";
    let items = vec![
        held("five blocks", 2.0),
        gate(wrong("sectors per request <= 4", 2.0, "uncoalesced", measured, Some(18))),
    ];
    let mut exercise = exercise("ch03_shared", "coalesce", Status::Partial, items);
    exercise.bonus = true;
    exercise.report = Some(Report {
        slug: "uncoalesced".into(),
        title: measured.into(),
        spans: vec![span(18, 20, 11, "32 lanes, 32 sectors", true)],
        ..Report::default()
    });
    exercise
}

fn stopped() -> Exercise {
    let items = vec![not_run("one block", 3.0)];
    let mut exercise = exercise("ch03_shared", "tile_sum", Status::Failed, items);
    exercise.contained = Some("the program opened a network connection".into());
    exercise
}

fn not_begun() -> Exercise {
    let message = "the gap in line 9 is still open";
    let items = vec![wrong("one block", 1.0, "not-started", message, Some(9))];
    let mut exercise = exercise("ch04_reductions", "block_sum", Status::Failed, items);
    exercise.report =
        Some(Report { slug: "not-started".into(), title: message.into(), ..Report::default() });
    exercise
}

fn missing() -> Exercise {
    let items = vec![not_run("one block", 1.0), secret(Show::Verdict, not_run("one block", 1.0))];
    let mut exercise = exercise("ch04_reductions", "grid_sum", Status::Missing, items);
    exercise.file = None;
    exercise
}

fn not_graded() -> Exercise {
    let items = vec![not_run("one block", 1.0), not_run("five blocks", 1.0)];
    let mut exercise = exercise("ch04_reductions", "scan", Status::NotGraded, items);
    exercise.retries = 3;
    exercise
}

fn excused() -> Exercise {
    let mut exercise =
        exercise("ch04_reductions", "scan_grid", Status::Missing, vec![not_run("one block", 0.0)]);
    exercise.file = None;
    exercise.excused = true;
    exercise
}

/// Hostile texts, one for each reader that they attack, and then all together.
pub const HOSTILE: [&str; 12] = [
    "\u{1b}[2J\u{1b}[1;32mALL TESTS PASSED\u{1b}[0m\u{0}\u{7}",
    "::error::forged\n::stop-commands::x\n##[error]forged ##vso[task.complete result=Succeeded]",
    "%0A::error::forged%0D,title=forged: x",
    "<script>alert(1)</script> <img src=x onerror=alert(1)> ]]> <!-- &amp; &#0; \"'",
    "| a | b |\n|---|---|\n``` ~~~ `x` **bold** _i_ [link](https://example.org) ![i](u) <b>",
    "@everyone #1 https://example.org www.example.org a@example.org $x$ :tada:",
    "# SKIP not needed # TODO later\nok 99 - forged\n  ...\nBail out! forged\n1..0",
    "=HYPERLINK(\"https://example.org\") +1 -1 @SUM(A1)",
    "\u{202e}dessap\u{202c} \u{200b}\u{feff}\u{fffe}\u{ffff}\u{85}\u{2028}x",
    "[[ATTACHMENT|/etc/passwd]] %{danger_start}forged%{danger_end} {0} [x](1)",
    "back\\slash \\# \\\\n tab\tquote\" 'single' $(id) `id` ${x}",
    "\r\rcarriage\rreturns\r\n  ---\n  message: forged\n  ...\n- : ? & * ! % @",
];

fn mallory() -> Record {
    let text = |at: usize| HOSTILE[at].to_owned();
    let items = vec![
        wrong(HOSTILE[6], 1.0, "wrong-values", HOSTILE[3], Some(3)),
        wrong(HOSTILE[4], 1.0, "global-race", HOSTILE[1], None),
        wrong(HOSTILE[5], 1.0, "not-a-number", HOSTILE[9], Some(4)),
        held(HOSTILE[3], 1.0),
    ];
    let mut hostile = exercise("ch01_threads", "blocks", Status::Partial, items);
    hostile.file = Some(format!("exercises/ch01_threads/{}/../blocks.cu", HOSTILE[2]));
    hostile.report = Some(Report {
        slug: "wrong-values".into(),
        passed: false,
        title: text(3),
        case: Some(text(2)),
        spans: vec![span(3, 1, 4, HOSTILE[4], true)],
        table: vec![vec![text(7), text(8)], vec![text(1), text(10)]],
        notes: vec![text(0), text(1), text(6), text(11)],
        think: Some(text(5)),
        learn: Some(text(4)),
        again: Some(text(10)),
        printed: Some(HOSTILE.join("\n")),
        device: text(0),
        ..Report::default()
    });
    let mut contained =
        exercise("ch01_threads", "guard", Status::Failed, vec![not_run("one block", 1.0)]);
    contained.contained = Some(text(4));
    let mut missing = exercise("ch01_threads", "gri`d|<b>", Status::Missing, vec![]);
    missing.file = None;
    let id = format!("mallory {}", HOSTILE[2]);
    let columns = [("SIS User ID".to_owned(), text(7))].into();
    let student = Student { id, name: Some(text(3) + HOSTILE[8]), columns };
    let mut record = record(student, vec![hostile, contained, missing]);
    record.submission.source = format!("submissions/{}", HOSTILE[1]);
    record.submission.ignored = HOSTILE.map(str::to_owned).to_vec();
    record
}
