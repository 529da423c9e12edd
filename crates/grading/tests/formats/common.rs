//! Made-up classes, plausible or hostile, for tests and for looking at pages.

use std::collections::BTreeMap;

use grading::formats::Options;
use grading::record::{
    Exercise, File, Flag, Item, Kind, Outcome, Provenance, Record, Report, Score, Show, Span,
    Status, Student, Submission, TimeFrom, VERSION,
};
use jiff::{SignedDuration, Timestamp};

/// When these classes are graded.
pub fn now() -> Timestamp {
    "2026-11-20T12:00:00Z".parse().unwrap()
}

/// Numbers that are the same everywhere (splitmix64).
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % sides.max(1)
    }

    fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.roll(list.len() as u64) as usize]
    }
}

const CHAPTERS: [(&str, &[&str]); 10] = [
    (
        "ch01_threads",
        &["double_it", "guard", "blocks", "launch_config", "grid_stride", "matrix_add_2d"],
    ),
    (
        "ch02_memory",
        &["roundtrip", "in_out_inout", "stay_on_device", "error_checking", "cleanup", "pitched_2d"],
    ),
    ("ch03_coalescing", &["stride", "row_col_sums", "structs_soa", "float4_align"]),
    (
        "ch04_shared",
        &["reverse_sync", "barrier_divergence", "stencil_1d", "tile_transpose", "matmul_tiled"],
    ),
    ("ch05_debugging", &["off_by_one", "lost_update", "uninitialised"]),
    ("ch06_atomics", &["histogram", "block_sum", "compact", "ticket_lock"]),
    ("ch07_generic", &["reduce_any", "scan", "segmented_sum", "radix_pass"]),
    ("ch08_streams", &["overlap", "events", "pinned", "graph_order"]),
    ("ch09_images", &["blur", "sobel", "bilinear", "equalise"]),
    ("ch10_science", &["heat_2d", "n_body", "monte_carlo", "spmv", "fft_pass"]),
];

/// How many exercises there are.
pub const EXERCISES: usize = 45;

const DIAGNOSES: [(&str, &str, &str); 8] = [
    (
        "shared-race",
        "thread 0 reads tile[32] while thread 32 may still be writing it",
        "Which threads must reach the barrier before the first of them reads?",
    ),
    (
        "out-of-bounds-write",
        "thread (1024, 0, 0) writes out[1024], and `out` has 1024 elements",
        "How many threads does the launch start, and how many elements are there?",
    ),
    (
        "wrong-values",
        "out[513] is 0, and 2 is right; 487 of 1000 elements are wrong",
        "What do all wrong indices have in common?",
    ),
    ("compile-error", "expected a `;`", ""),
    (
        "barrier-not-reached",
        "32 threads wait at a barrier that 224 threads never reach",
        "Who leaves before the barrier?",
    ),
    (
        "uninitialised-read",
        "thread 7 reads tile[8], and nobody has written it",
        "Which thread fills the slots at the edge?",
    ),
    (
        "uncoalesced",
        "sectors per request is 32, and the limit is 4",
        "Which addresses do the 32 lanes of a warp touch?",
    ),
    (
        "never-finishes",
        "no thread can go on: 1 waits for `lock`, which nobody gives back",
        "What happens when two lanes of one warp want the lock?",
    ),
];

const FAMILY: [&str; 20] = [
    "Lovelace",
    "Hopper",
    "Turing",
    "Hamilton",
    "Dijkstra",
    "Liskov",
    "Noether",
    "Ramanujan",
    "Kovalevskaya",
    "Erdős",
    "Nguyễn",
    "O'Neill",
    "Van der Waals",
    "García Márquez",
    "Østergård",
    "李",
    "Håkansson-Birgersdotter",
    "Müller",
    "Ibn al-Haytham",
    "Ng",
];
const GIVEN: [&str; 16] = [
    "Ada",
    "Grace",
    "Alan",
    "Margaret",
    "Edsger",
    "Barbara",
    "Emmy",
    "Srinivasa",
    "Sofja",
    "Pál",
    "Linh",
    "Seán",
    "明",
    "Zoë",
    "Jürgen",
    "Maximilienne",
];

/// A class like a real one: most are good, some give up halfway, a few try things.
pub fn class(students: u64, seed: u64) -> Vec<Record> {
    let mut dice = Dice(seed);
    (0..students).map(|number| student(number, &mut dice)).collect()
}

fn student(number: u64, dice: &mut Dice) -> Record {
    let skill = 20 + dice.roll(75);
    let reach = if dice.roll(20) == 0 { 0 } else { 12 + skill * 34 / 94 + dice.roll(8) };
    let mut exercises = vec![];
    let mut flags = vec![];
    for (place, (chapter, id)) in CHAPTERS
        .iter()
        .flat_map(|(chapter, ids)| ids.iter().map(move |id| (chapter, id)))
        .enumerate()
    {
        let exercise = exercise(chapter, id, place as u64, skill, reach, dice);
        if let Some(why) = &exercise.contained {
            flags.push(Flag {
                what: "contained".into(),
                exercise: Some(exercise.id.clone()),
                detail: why.clone(),
            });
        }
        if exercise.status == Status::NotGraded {
            flags.push(Flag {
                what: "not-graded".into(),
                exercise: Some(exercise.id.clone()),
                detail: "the worker died three times while it compiled".into(),
            });
        }
        exercises.push(exercise);
    }
    let id = format!("u{:04}", 1042 + number * 7);
    let name = format!("{}, {}", dice.of(&FAMILY), dice.of(&GIVEN));
    let columns = [
        ("ID", (48_000 + number).to_string()),
        ("SIS User ID", id.clone()),
        ("SIS Login ID", format!("login{number}")),
        ("Section", "CS 149-01".into()),
    ];
    let mut record = Record {
        comment: None,
        late_days: None,
        version: VERSION,
        student: Student {
            id: id.clone(),
            name: Some(name),
            columns: columns
                .map(|(k, v)| (k.to_owned(), v))
                .into_iter()
                .collect::<BTreeMap<_, _>>(),
        },
        made: Provenance {
            title: "CS 149, assignment 1".into(),
            course: "5b6c".repeat(16),
            policy: "77aa".repeat(16),
            checker: "0.1.0 (3f2a91bc)".into(),
            seed: "c0ffee00".repeat(8),
            rounds: 1,
            device: "simulator".into(),
            sandbox: "landlock 7, seccomp".into(),
            at: now() + SignedDuration::from_secs(number as i64 * 20),
            zone: Some("Europe/Berlin".into()),
            seconds: 12.5,
        },
        submission: Submission {
            source: format!("submissions/{id}.zip"),
            hash: "ab12".repeat(16),
            at: now() - SignedDuration::from_hours(30),
            at_from: TimeFrom::Stated,
            attempt: 1 + dice.roll(4) as u32,
            files: exercises.iter().filter_map(file).collect(),
            group: None,
            ignored: if dice.roll(6) == 0 { vec!["notes/todo.txt".into()] } else { vec![] },
        },
        exercises,
        score: Score::default(),
        flags,
    };
    add_up(&mut record);
    record
}

fn file(exercise: &Exercise) -> Option<File> {
    exercise.file.as_ref().map(|path| File {
        path: path.clone(),
        exercise: exercise.id.clone(),
        hash: "9f86d081884c7d65".repeat(4),
        bytes: 1800,
        at: None,
        order: 0,
    })
}

fn exercise(
    chapter: &str,
    id: &str,
    place: u64,
    skill: u64,
    reach: u64,
    dice: &mut Dice,
) -> Exercise {
    let bonus = place % 15 == 14;
    let due = now() - SignedDuration::from_hours(48);
    let goal = format!("make {} right for every size", id.replace('_', " "));
    let mut made = Exercise {
        possible: 10.0,
        bonus,
        due: Some(due),
        millis: 140,
        ..Exercise::missing(id, chapter, &goal)
    };
    if place >= reach {
        return made;
    }
    made.file = Some(format!("exercises/{chapter}/{id}.cu"));
    if dice.roll(900) == 0 {
        made.status = Status::NotGraded;
        return made;
    }
    let hard = 30 + (place * 37) % 50;
    let solved = dice.roll(100) + skill > hard + 35;
    let diagnosis = DIAGNOSES[(dice.roll(8) * dice.roll(9) / 8) as usize % DIAGNOSES.len()];
    let whole = diagnosis.0 == "compile-error" || dice.roll(3) == 0;
    for (i, (name, points, hidden)) in [
        ("five blocks", 3.0, false),
        ("one thread too many", 3.0, false),
        ("secret size", 4.0, true),
    ]
    .into_iter()
    .enumerate()
    {
        let held = solved || (!whole && i == 0);
        let not_run = !held && diagnosis.0 == "compile-error";
        made.items.push(Item {
            name: name.into(),
            kind: Kind::Case,
            hidden,
            show: Show::Verdict,
            reveal: hidden.then(|| now() + SignedDuration::from_hours(72)),
            outcome: match (held, not_run) {
                (true, _) => Outcome::Held,
                (_, true) => Outcome::NotRun,
                _ => Outcome::Failed,
            },
            given: false,
            points: if held { points } else { 0.0 },
            possible: points,
            extra: 0.0,
            slug: if held { "passed".into() } else { diagnosis.0.into() },
            message: if held { "every element is right".into() } else { diagnosis.1.into() },
            line: (!held).then_some(26),
            again: Some(format!("checker run {id} --case '{name}' --seed 7")),
            millis: 40,
            speed: None,
        });
    }
    made.points = made.items.iter().map(|item| item.points).sum();
    made.status = match (solved, made.points > 0.0) {
        (true, _) => Status::Passed,
        (_, true) => Status::Partial,
        _ => Status::Failed,
    };
    made.report = Some(if solved { passed() } else { failed(diagnosis, id) });
    if dice.roll(400) == 0 {
        made.contained = Some("it tried to open /etc/passwd; the sandbox refused".into());
    }
    if dice.roll(25) == 0 && made.points > 0.0 {
        made.late_days = 2;
        made.penalty = made.points * 0.2;
    }
    made
}

pub fn passed() -> Report {
    Report {
        slug: "passed".into(),
        passed: true,
        title: "passed: 7 cases, 2 gates".into(),
        device: "simulator".into(),
        ..Report::default()
    }
}

fn failed((slug, title, think): (&str, &str, &str), id: &str) -> Report {
    let span = |line, label: &str, primary| Span {
        line,
        column: 13,
        length: 9,
        label: label.into(),
        primary,
    };
    let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
    Report {
        slug: slug.into(),
        passed: false,
        title: title.into(),
        case: Some("case `one thread too many` (n = 1000, grid 4, block 256)".into()),
        spans: vec![
            span(24, "(1) thread 32 (warp 1) wrote tile[32] here", false),
            span(26, "(2) thread 0 (warp 0) reads tile[32] here, in the round stride = 32", true),
        ],
        table: match slug {
            "wrong-values" => vec![
                row(["index", "yours", "right"]),
                row(["513", "0", "2"]),
                row(["514", "0", "2"]),
            ],
            _ => vec![],
        },
        notes: vec!["no barrier lies between (1) and (2)".into()],
        think: Some(think.to_owned()).filter(|think| !think.is_empty()),
        learn: Some("book chapter 4, \"A barrier is a meeting point\"".into()),
        again: Some(format!("checker run {id} --case 'one thread too many'")),
        printed: (slug == "never-finishes").then(|| "lane 0 waits\nlane 1 waits\n".into()),
        device: "simulator".into(),
        ..Report::default()
    }
}

/// Makes the sum fit its exercises, as [`grading::points`] does.
pub fn add_up(record: &mut Record) {
    let mut score = Score { complete: true, ..Score::default() };
    for exercise in &record.exercises {
        let kept = (exercise.points - exercise.penalty).max(0.0);
        let gates: f64 = exercise.items.iter().filter(|i| i.extra > 0.0).map(|i| i.points).sum();
        score.points += kept;
        score.penalty += exercise.penalty;
        score.possible += if exercise.bonus { 0.0 } else { exercise.possible };
        score.extra += match exercise.points {
            _ if exercise.bonus => kept,
            points if points > 0.0 => gates * kept / points,
            _ => 0.0,
        };
        score.late_days = score.late_days.max(exercise.late_days);
        score.complete &= exercise.status != Status::NotGraded || exercise.excused;
    }
    for number in [&mut score.points, &mut score.possible, &mut score.extra, &mut score.penalty] {
        *number = (*number * 100.0).round() / 100.0;
    }
    record.score = score;
}

/// One student with a complete grade: one exercise passed, one partly right with a secret case, one
/// that does not compile, one missing, one of extra credit.
pub fn small() -> Record {
    let mut record = class(1, 3).remove(0);
    let mut dice = Dice(11);
    let mut all = vec![];
    for (place, (chapter, id)) in [
        ("ch01_threads", "double_it"),
        ("ch01_threads", "guard"),
        ("ch04_shared", "reverse_sync"),
        ("ch04_shared", "stencil_1d"),
    ]
    .into_iter()
    .enumerate()
    {
        let reach = if place == 3 { 0 } else { 9 };
        let mut made = exercise(chapter, id, 0, 100, reach, &mut dice);
        (made.late_days, made.penalty, made.contained) = (0, 0.0, None);
        all.push(made);
    }
    let [first, second, third, _] = all.as_mut_slice() else { unreachable!() };
    first.report = Some(passed());
    fail(second, &[2], DIAGNOSES[2]);
    second.report_hidden = true;
    fail(third, &[0, 1, 2], DIAGNOSES[0]);
    (third.late_days, third.penalty) = (1, 0.0);
    let mut extra = all[0].clone();
    (extra.id, extra.bonus) = ("matrix_add_2d".into(), true);
    all.insert(1, extra);
    record.exercises = all;
    record.submission.files = record.exercises.iter().filter_map(file).collect();
    record.flags = vec![];
    add_up(&mut record);
    record
}

/// Lets some items of a passed exercise fail.
pub fn fail(exercise: &mut Exercise, items: &[usize], (slug, title, think): (&str, &str, &str)) {
    for i in items {
        let item = &mut exercise.items[*i];
        (item.outcome, item.points) = (Outcome::Failed, 0.0);
        (item.slug, item.message, item.line) = (slug.into(), title.into(), Some(26));
    }
    exercise.points = exercise.items.iter().map(|item| item.points).sum();
    exercise.status = if exercise.points > 0.0 { Status::Partial } else { Status::Failed };
    exercise.report = Some(failed((slug, title, think), &exercise.id));
}

/// One exercise whose file does not compile, alone in its record.
pub fn does_not_compile() -> Record {
    let mut record = small();
    record.exercises.drain(1..);
    fail(&mut record.exercises[0], &[0, 1, 2], DIAGNOSES[3]);
    for item in &mut record.exercises[0].items {
        item.outcome = Outcome::NotRun;
    }
    add_up(&mut record);
    record
}

/// Calls `f` on every text of a record that a learner, a roster or a course may have written.
pub fn texts(record: &mut Record, f: &mut dyn FnMut(&mut String)) {
    let Record { student, made, submission, exercises, flags, .. } = record;
    f(&mut student.id);
    student.name.iter_mut().for_each(&mut *f);
    student.columns.values_mut().for_each(&mut *f);
    f(&mut made.title);
    f(&mut made.device);
    f(&mut made.checker);
    f(&mut submission.source);
    submission.ignored.iter_mut().for_each(&mut *f);
    for file in &mut submission.files {
        f(&mut file.path);
        f(&mut file.exercise);
    }
    for flag in flags {
        f(&mut flag.what);
        f(&mut flag.detail);
        flag.exercise.iter_mut().for_each(&mut *f);
    }
    for exercise in exercises {
        f(&mut exercise.id);
        f(&mut exercise.chapter);
        f(&mut exercise.goal);
        exercise.file.iter_mut().for_each(&mut *f);
        exercise.contained.iter_mut().for_each(&mut *f);
        for item in &mut exercise.items {
            f(&mut item.name);
            f(&mut item.slug);
            f(&mut item.message);
            item.again.iter_mut().for_each(&mut *f);
        }
        if let Some(report) = &mut exercise.report {
            report_texts(report, f);
        }
    }
}

fn report_texts(report: &mut Report, f: &mut dyn FnMut(&mut String)) {
    f(&mut report.slug);
    f(&mut report.title);
    report.notes.iter_mut().for_each(&mut *f);
    report.table.iter_mut().flatten().for_each(&mut *f);
    report.spans.iter_mut().for_each(|span| f(&mut span.label));
    for text in [
        &mut report.case,
        &mut report.think,
        &mut report.learn,
        &mut report.again,
        &mut report.printed,
    ] {
        text.iter_mut().for_each(&mut *f);
    }
}

/// Hostile texts.
pub fn hostile() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    let marks = prop::sample::select(vec![
        "<script>alert(1)</script>",
        "</style><img src=x onerror=alert(1)>",
        "\" onmouseover=\"alert(1)",
        "' autofocus onfocus='alert(1)",
        "</title>",
        "<!--",
        "-->",
        "]]>",
        "&lt;b&gt;",
        "&#x3c;",
        "=1+1",
        "\"=cmd|' /C calc'!A0",
        "+1",
        "-1",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "::error::x",
        "##[error]x",
        "\u{1b}[2J",
        "\u{1b}]0;x\u{7}",
        "\u{202e}",
        "\u{2066}",
        "\0",
        "\n",
        "\r\n",
        ",",
        ";",
        "\"",
        "'",
        "\\",
        "a\nb.cu",
        "`",
        "\u{2028}",
        "\u{feff}",
        "é",
        "李",
        "Points Possible",
        "Muted",
        "",
    ]);
    prop_oneof![
        3 => prop::collection::vec(marks, 1..5).prop_map(|marks| marks.concat()),
        1 => any::<String>(),
    ]
}

/// Characters that act on terminals or on the direction of writing.
pub fn acts(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{2028}')
}

/// What Classroom 50's runner sets.
pub fn platform_options() -> Options {
    let mut options = Options::new(now());
    for (key, value) in [
        ("CLASSROOM", "cs149"),
        ("ASSIGNMENT", "cuda-1"),
        ("USERNAME", "ada"),
        ("SUBMISSION_TAG", "submit/2026-06-01T14-32-05Z-a1b2c3d"),
        ("COMMIT_URL", "https://github.com/cs149/x/commit/a1b2c3d"),
        ("RELEASE_URL", "https://github.com/cs149/x/releases/tag/y"),
    ] {
        options.platform.insert(key.into(), value.into());
    }
    options
}
