use jiff::Timestamp;
use proptest::prelude::*;

use super::*;
use crate::course::Course;
use crate::record::{File, Show, Speed, TimeFrom};

fn course() -> Course {
    Course::example(&[("c1", "a"), ("c1", "b"), ("c2", "c")])
}

fn policy(text: &str) -> Policy {
    Policy::parse(text, &course()).unwrap_or_else(|error| panic!("{error}"))
}

fn item(kind: Kind, hidden: bool, given: bool, outcome: Outcome) -> Item {
    Item {
        name: String::new(),
        kind,
        hidden,
        show: Show::Everything,
        reveal: None,
        outcome,
        given,
        points: f64::NAN,
        possible: f64::NAN,
        extra: f64::NAN,
        slug: String::new(),
        message: String::new(),
        line: None,
        again: None,
        millis: 0,
        speed: None,
    }
}

fn case(given: bool, held: bool) -> Item {
    item(Kind::Case, false, given, if held { Outcome::Held } else { Outcome::Failed })
}

fn gate(given: bool, held: bool) -> Item {
    item(Kind::Gate, false, given, if held { Outcome::Held } else { Outcome::NotRun })
}

fn exercise(id: &str, items: Vec<Item>) -> Exercise {
    Exercise {
        id: id.to_owned(),
        chapter: String::new(),
        goal: String::new(),
        status: Status::Failed,
        points: f64::NAN,
        possible: f64::NAN,
        bonus: false,
        by_hand: None,
        excused: false,
        due: None,
        late_days: 9,
        free_days: 9,
        penalty: f64::NAN,
        file: None,
        counted: None,
        others: vec![],
        report: None,
        report_hidden: false,
        items,
        contained: None,
        contained_hidden: false,
        retries: 0,
        millis: 0,
    }
}

fn submission(at: &str) -> Submission {
    Submission {
        source: String::new(),
        hash: String::new(),
        at: at.parse().unwrap(),
        at_from: TimeFrom::Stated,
        attempt: 1,
        files: vec![],
        group: None,
        ignored: vec![],
    }
}

const ON_TIME: &str = "2026-10-01T12:00:00Z";

fn graded(policy: &Policy, at: &str, mut exercises: Vec<Exercise>) -> (Score, Vec<Exercise>) {
    let score = score(policy, "ada", &submission(at), &mut exercises);
    (score, exercises)
}

/// The example of the rule: what was given is worth nothing, and what is lost of it costs.
#[test]
fn counted_from_the_file_as_handed_out() {
    let policy = policy("exercises = [\"a\"]");
    let share = |items: Vec<Item>| {
        let (score, exercises) = graded(&policy, ON_TIME, vec![exercise("a", items)]);
        (score.points, exercises[0].status)
    };
    // One of four is given.
    let four = |held: [bool; 4]| {
        share(vec![
            case(true, held[0]),
            case(false, held[1]),
            case(false, held[2]),
            case(false, held[3]),
        ])
    };
    assert_eq!(four([true, false, false, false]), (0.0, Status::Failed));
    assert_eq!(four([true, true, false, false]), (3.33, Status::Partial));
    assert_eq!(four([true, true, true, true]), (10.0, Status::Passed));
    assert_eq!(four([false, true, true, false]), (3.33, Status::Partial));
    assert_eq!(four([false, true, false, false]), (0.0, Status::Partial));
    assert_eq!(four([false, false, false, false]), (0.0, Status::Failed));
    // Nothing that could be gained: everything or nothing.
    assert_eq!(share(vec![case(true, true), case(true, true)]), (10.0, Status::Passed));
    assert_eq!(share(vec![case(true, true), case(true, false)]), (0.0, Status::Failed));
    assert_eq!(share(vec![]), (0.0, Status::Failed));
}

/// Items add up to the exercise, so that every format says the same.
#[test]
fn items_have_their_points() {
    let policy = policy("exercises = [\"a\"]\n[credit]\nhidden = 2\ngate = 3");
    let hidden = item(Kind::Case, true, false, Outcome::Held);
    let (_, exercises) = graded(
        &policy,
        ON_TIME,
        vec![exercise("a", vec![case(true, false), hidden, gate(false, true)])],
    );
    let points: Vec<(f64, f64)> =
        exercises[0].items.iter().map(|item| (item.points, item.possible)).collect();
    assert_eq!(points, [(-2.0, 0.0), (4.0, 4.0), (6.0, 6.0)]);
    assert_eq!((exercises[0].points, exercises[0].possible), (8.0, 10.0));
    assert_eq!(exercises[0].items[1].show, Show::Verdict);
}

/// Without a weight, the gates that the file as handed out misses weigh as much as the cases that
/// it fails, so right results alone are half of the points.
#[test]
fn gates_weigh_as_much_as_cases() {
    let hidden = |held: bool| {
        item(Kind::Case, true, false, if held { Outcome::Held } else { Outcome::Failed })
    };
    let points = |text: &str, items: Vec<Item>| {
        let policy = policy(&format!("exercises = [\"a\"]\n[credit]\n{text}"));
        let (score, exercises) = graded(&policy, ON_TIME, vec![exercise("a", items)]);
        let possible: Vec<f64> = exercises[0].items.iter().map(|item| item.possible).collect();
        (score.points, possible)
    };
    let program = |first_gate: bool, second_gate: bool| {
        let mut items = vec![case(true, true), case(false, true), case(false, true), hidden(true)];
        items.extend([gate(false, first_gate), gate(false, second_gate)]);
        items
    };
    let default = |items| points("hidden = 3", items);
    assert_eq!(
        default(program(false, false)),
        (5.0, vec![0.0, 1.0, 1.0, 3.0, 2.5, 2.5]),
        "right results alone"
    );
    assert_eq!(default(program(true, false)).0, 7.5);
    assert_eq!(default(program(true, true)).0, 10.0);
    assert_eq!(
        points("hidden = 3\ngate = 2.5", program(false, true)),
        (7.5, vec![0.0, 1.0, 1.0, 3.0, 2.5, 2.5]),
        "a weight in the policy is that of each gate"
    );
    assert_eq!(points("hidden = 3\ngate = 0", program(false, false)).0, 10.0);
    // a gate that the file as handed out passes gives nothing, and missing it costs what a case
    // costs
    let given = |held| vec![case(false, true), case(false, true), gate(true, held)];
    assert_eq!(default(given(true)), (10.0, vec![5.0, 5.0, 0.0]));
    assert_eq!(default(given(false)).0, 5.0);
    // results that are right in the file as handed out leave all points to the gates
    let faster = |held| vec![case(true, true), gate(false, true), gate(false, held)];
    assert_eq!(default(faster(false)), (5.0, vec![0.0, 5.0, 5.0]));
    assert_eq!(points("visible = 0", vec![case(false, true), gate(false, true)]).1, [0.0, 10.0]);
}

#[test]
fn all_or_nothing() {
    let policy = policy("exercises = [\"a\"]\n[credit]\npartial = false");
    let (score, exercises) =
        graded(&policy, ON_TIME, vec![exercise("a", vec![case(false, true), case(false, false)])]);
    assert_eq!((score.points, exercises[0].status), (0.0, Status::Partial));
    // an item that holds must not read "0 of 5"
    assert!(exercises[0].items.iter().all(|item| (item.points, item.possible) == (0.0, 0.0)));
    let (score, exercises) =
        graded(&policy, ON_TIME, vec![exercise("a", vec![case(false, true), case(false, true)])]);
    assert_eq!((score.points, exercises[0].status), (10.0, Status::Passed));
}

/// Extra points are on top: of gates in an exercise, and of whole exercises.
#[test]
fn extra_credit() {
    let policy = policy(
        "exercises = [\"a\", \"b\"]\n[exercise.a]\ngate_bonus = 4\n[exercise.b]\nbonus = true\npoints = 3",
    );
    let a = exercise(
        "a",
        vec![case(false, true), gate(false, true), gate(false, false), gate(true, true)],
    );
    let (score, exercises) =
        graded(&policy, ON_TIME, vec![a, exercise("b", vec![case(false, true)])]);
    assert_eq!(
        (exercises[0].points, exercises[0].possible, exercises[0].status),
        (12.0, 10.0, Status::Passed)
    );
    let items: Vec<(f64, f64, f64)> =
        exercises[0].items.iter().map(|item| (item.points, item.possible, item.extra)).collect();
    assert_eq!(items, [(10.0, 10.0, 0.0), (2.0, 0.0, 2.0), (0.0, 0.0, 2.0), (0.0, 0.0, 0.0)]);
    assert_eq!((score.points, score.possible, score.extra), (15.0, 10.0, 5.0));
}

/// Points for speed are on top, and only for a file whose cases are all right. Without a rule, a
/// speed changes nothing.
#[test]
fn speed_is_extra_credit() {
    let course = Course::example(&[("c1", "fast")]);
    let speed = |outcome, of_solution| {
        let speed =
            Speed { seconds: 1.0, measured: true, gpu: String::new(), of_solution, of_copy: 0.1 };
        Item { speed: Some(speed), ..item(Kind::Speed, false, false, outcome) }
    };
    let points = |text: &str, items: Vec<Item>| {
        let policy = Policy::parse(text, &course).unwrap_or_else(|error| panic!("{error}"));
        let (score, exercises) = graded(&policy, ON_TIME, vec![exercise("fast", items)]);
        let last = exercises[0].items.last().map(|item| (item.points, item.extra));
        (score.points, score.possible, exercises[0].status, last)
    };
    let rule = "[exercise.fast]\nspeed_bonus = 4";
    let right = vec![case(false, true), speed(Outcome::Held, 0.7)];
    let (total, possible, status, last) = points(rule, right.clone());
    assert!((total - 12.0).abs() < 1e-9, "{total}");
    assert_eq!((possible, status, last.map(|last| last.1)), (10.0, Status::Passed, Some(4.0)));
    assert_eq!(points("", right), (10.0, 10.0, Status::Passed, Some((0.0, 0.0))));
    let wrong = vec![case(false, true), case(false, false), speed(Outcome::Held, 2.0)];
    assert_eq!(points(rule, wrong), (5.0, 10.0, Status::Partial, Some((0.0, 4.0))));
    let not_timed = vec![case(false, true), Item { speed: None, ..speed(Outcome::NotRun, 0.0) }];
    assert_eq!(points(rule, not_timed), (10.0, 10.0, Status::Passed, Some((0.0, 4.0))));
}

/// A failure of the machine gives and takes no points, and marks the grade as incomplete.
#[test]
fn not_graded_missing_excused_and_not_asked_for() {
    let policy = policy("exercises = [\"a\", \"b\"]\n[students.ada]\nexcused = [\"b\"]");
    let with =
        |status: Status, id: &str| Exercise { status, ..exercise(id, vec![case(false, true)]) };
    let (score, exercises) = graded(&policy, ON_TIME, vec![with(Status::NotGraded, "a")]);
    assert_eq!((score.points, score.possible, score.complete), (0.0, 10.0, false));
    assert_eq!(exercises[0].status, Status::NotGraded);
    let (score, _) = graded(&policy, ON_TIME, vec![with(Status::Missing, "a")]);
    assert_eq!((score.points, score.possible, score.complete), (0.0, 10.0, true));
    let (score, exercises) =
        graded(&policy, ON_TIME, vec![with(Status::Missing, "b"), with(Status::Failed, "c")]);
    assert_eq!((score.points, score.possible, score.complete), (0.0, 0.0, true));
    assert!(exercises[0].excused && !exercises[1].excused);
}

/// An exercise without counted cases gives no points and is not passed.
#[test]
fn nothing_to_hold() {
    let policy = policy("exercises = [\"a\"]\n[exercise.a]\ngate_bonus = 4");
    for status in [Status::Missing, Status::NotGraded, Status::Failed] {
        for items in [vec![], vec![gate(false, false)], vec![gate(true, true)]] {
            let (score, exercises) =
                graded(&policy, ON_TIME, vec![Exercise { status, ..exercise("a", items) }]);
            assert_eq!((score.points, exercises[0].status), (0.0, status));
        }
    }
}

/// Late days: of one due date once for all its exercises, free days where they save most.
#[test]
fn late_days() {
    let text = "due = 2026-10-01T12:00:00Z\n[exercise.c]\ndue = 2026-10-02T12:00:00Z\npoints = 100\n[late]\npenalty = 0.1\n";
    let all = || ["a", "b", "c"].map(|id| exercise(id, vec![case(false, true)])).to_vec();
    let at = "2026-10-03T13:00:00Z";
    let (score, exercises) = graded(&policy(text), at, all());
    let days: Vec<u32> = exercises.iter().map(|exercise| exercise.late_days).collect();
    assert_eq!(days, [3, 3, 2]);
    // 3 + 3 of a and b, 20 of c.
    assert_eq!((score.points, score.penalty, score.late_days), (94.0, 26.0, 5));
    // Two free days save 20 on c, and 4 on a and b.
    let (score, exercises) = graded(&policy(&(text.to_owned() + "free_days = 2")), at, all());
    assert_eq!((score.points, score.penalty, score.late_days), (114.0, 6.0, 5));
    assert_eq!((exercises[2].late_days, exercises[2].free_days), (0, 2));
    assert_eq!((exercises[0].late_days, exercises[0].free_days), (3, 0));
    // Behind the cutoff the first free days save nothing, the one that reaches it everything.
    let cutoff = text.replace("penalty = 0.1", "penalty = 0\ncutoff_days = 1\nfree_days = 2");
    let (score, exercises) =
        graded(&policy(&cutoff.replace("points = 100", "points = 15")), at, all());
    assert_eq!((score.points, score.penalty), (20.0, 15.0));
    assert_eq!((exercises[0].free_days, exercises[2].free_days), (2, 0));
    // As a fraction of what was earned, and never more than `most`.
    let half = || vec![exercise("a", vec![case(false, true), case(false, false)])];
    let of = |more: &str| {
        graded(
            &policy(&format!("exercises = [\"a\"]\ndue = 2026-10-01T12:00:00Z\n[late]\n{more}")),
            at,
            half(),
        )
        .0
    };
    assert_eq!(of("penalty = 0.1\nof = \"earned\"").points, 3.5);
    assert_eq!(of("penalty = 0.1\nof = \"possible\"").points, 2.0);
    assert_eq!(of("penalty = 1\nmost = 0.3").points, 2.0);
    assert_eq!(of("penalty = 1").points, 0.0);
    assert_eq!((of("").points, of("").late_days), (5.0, 3));
}

/// Handing in the second week's exercise does not make the first week's late.
#[test]
fn files_that_were_there_before() {
    let policy = policy(
        "exercises = [\"a\", \"c\"]\n[chapter.c1]\ndue = 2026-10-01T12:00:00Z\n[chapter.c2]\ndue = 2026-10-08T12:00:00Z\n[late]\npenalty = 1",
    );
    let mut submission = submission("2026-10-08T11:00:00Z");
    let file = |exercise: &str, at: Option<Timestamp>| File {
        path: String::new(),
        exercise: exercise.to_owned(),
        hash: String::new(),
        bytes: 1,
        at,
        order: 0,
    };
    let mut points = |at| {
        submission.files = vec![file("a", at), file("c", None)];
        let mut exercises = ["a", "c"].map(|id| exercise(id, vec![case(false, true)]));
        score(&policy, "ada", &submission, &mut exercises).points
    };
    assert_eq!(points(None), 10.0);
    assert_eq!(points(Some("2026-10-01T12:00:00Z".parse().unwrap())), 20.0);
}

/// Halves go up even where a sum of binary fractions falls short of them.
#[test]
fn rounding() {
    assert_eq!(rounded(1.005), 1.01);
    assert_eq!(rounded(2.675), 2.68);
    assert_eq!(rounded(0.1 + 0.2), 0.3);
    assert_eq!(rounded(10.0 / 3.0), 3.33);
}

#[derive(Debug, Clone)]
struct World {
    partial: bool,
    weights: [f64; 2],
    gate: Option<f64>,
    gate_bonus: f64,
    late: Late,
    items: Vec<Vec<(bool, bool, bool, bool)>>,
    points: Vec<f64>,
    days: Vec<i64>,
}

#[derive(Debug, Clone)]
struct Late {
    free: u32,
    penalty: f64,
    most: f64,
    cutoff: u32,
    earned: bool,
}

impl World {
    fn policy(&self, free: u32, penalty: f64) -> Policy {
        let [visible, hidden] = self.weights;
        let gate = self.gate.map(|gate| format!("gate = {gate}\n")).unwrap_or_default();
        let mut text = format!(
            "[credit]\npartial = {}\nvisible = {visible}\nhidden = {hidden}\n{gate}gate_bonus = {}\n\
             [late]\nfree_days = {free}\npenalty = {penalty}\nmost = {}\ncutoff_days = {}\nof = \"{}\"\n",
            self.partial,
            self.gate_bonus,
            self.late.most,
            self.late.cutoff,
            if self.late.earned { "earned" } else { "possible" },
        );
        for ((id, points), days) in ["a", "b", "c"].iter().zip(&self.points).zip(&self.days) {
            let due = Timestamp::from_second(1_790_000_000 - days * 86_400).unwrap();
            text += &format!("[exercise.{id}]\npoints = {points}\ndue = {due}\n");
        }
        policy(&text)
    }

    fn exercises(&self) -> Vec<Exercise> {
        let of = |(id, items): (&&str, &Vec<(bool, bool, bool, bool)>)| {
            let of = |&(is_gate, hidden, given, held): &_| {
                let kind = if is_gate { Kind::Gate } else { Kind::Case };
                item(kind, hidden, given, if held { Outcome::Held } else { Outcome::Failed })
            };
            exercise(id, items.iter().map(of).collect())
        };
        ["a", "b", "c"].iter().zip(&self.items).map(of).collect()
    }

    fn score(&self, free: u32, penalty: f64, exercises: &mut [Exercise]) -> Score {
        let mut submission = submission(ON_TIME);
        submission.at = Timestamp::from_second(1_790_000_000).unwrap();
        score(&self.policy(free, penalty), "ada", &submission, exercises)
    }
}

fn world() -> impl Strategy<Value = World> {
    let weight = || prop::sample::select(vec![0.0, 0.5, 1.0, 3.0]);
    let late = (0_u32..5, 0.0..=1.0, 0.0..=1.0, 0_u32..6, any::<bool>()).prop_map(
        |(free, penalty, most, cutoff, earned)| Late { free, penalty, most, cutoff, earned },
    );
    let items =
        prop::collection::vec(prop::collection::vec(any::<(bool, bool, bool, bool)>(), 0..6), 3);
    let points = prop::collection::vec(0.0..50.0, 3);
    let days = prop::collection::vec(-2_i64..6, 3);
    (
        any::<bool>(),
        [Just(1.0).boxed(), weight().boxed()],
        prop::option::of(weight()),
        prop::sample::select(vec![0.0, 2.0]),
        late,
        items,
        points,
        days,
    )
        .prop_map(|(partial, weights, gate, gate_bonus, late, items, points, days)| World {
            partial,
            weights,
            gate,
            gate_bonus,
            late,
            items,
            points,
            days,
        })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    /// Bounds, sums, and that one more item that holds never costs anything.
    #[test]
    fn monotone_and_bounded(world in world(), which in any::<prop::sample::Index>()) {
        let mut before = world.exercises();
        let low = world.score(world.late.free, world.late.penalty, &mut before);
        let most: f64 = world.points.iter().map(|points| points + world.gate_bonus).sum();
        prop_assert!(low.points >= 0.0 && low.points <= most + 0.01, "{low:?}");
        prop_assert!(low.penalty >= 0.0 && low.complete);
        for exercise in &before {
            prop_assert!(exercise.points >= 0.0 && exercise.points <= exercise.possible + world.gate_bonus + 1e-9);
            prop_assert!((0.0..=exercise.points).contains(&exercise.penalty));
            let sum: f64 = exercise.items.iter().map(|item| item.points).sum();
            let extra: f64 = exercise.items.iter().filter(|item| item.extra > 0.0).map(|item| item.points).sum();
            if exercise.items.iter().any(|item| item.possible > 0.0) {
                prop_assert!(((sum - extra).max(0.0) + extra - exercise.points).abs() < 1e-9, "{sum} {}", exercise.points);
            }
        }
        let all: Vec<(usize, usize)> = world.items.iter().enumerate()
            .flat_map(|(e, items)| items.iter().enumerate().filter(|(_, item)| !item.3).map(move |(i, _)| (e, i)))
            .collect();
        if !all.is_empty() {
            let (e, i) = all[which.index(all.len())];
            let mut better = world.clone();
            better.items[e][i].3 = true;
            let mut after = better.exercises();
            let high = better.score(world.late.free, world.late.penalty, &mut after);
            prop_assert!(after[e].points >= before[e].points - 1e-9);
            prop_assert!(high.points >= low.points, "{low:?} {high:?}");
        }
    }

    /// The untouched file has nothing, and everything held has all.
    #[test]
    fn ends(world in world()) {
        let mut nothing = world.clone();
        nothing.items.iter_mut().flatten().for_each(|item| item.3 = item.2);
        // Where everything is given, the untouched file already is the solution.
        nothing.items.iter_mut().for_each(|items| items.push((false, false, false, false)));
        prop_assert_eq!(nothing.score(0, 0.0, &mut nothing.exercises()).points, 0.0);
        let mut all = world.clone();
        all.late.cutoff = 366;
        all.items.iter_mut().for_each(|items| items.push((false, false, false, false)));
        all.items.iter_mut().flatten().for_each(|item| item.3 = true);
        let mut exercises = all.exercises();
        let score = all.score(0, 0.0, &mut exercises);
        prop_assert!((score.points - score.possible - score.extra).abs() < 0.011, "{:?}", score);
        prop_assert!(exercises.iter().all(|exercise| exercise.status == Status::Passed));
    }

    /// Who submitted nothing, or could not be graded, has nothing, whatever the items say.
    #[test]
    fn missing_is_nothing(world in world(), status in prop::sample::select(vec![Status::Missing, Status::NotGraded])) {
        let mut exercises = world.exercises();
        exercises.iter_mut().for_each(|exercise| exercise.status = status);
        let score = world.score(0, 1.0, &mut exercises);
        prop_assert_eq!((score.points, score.penalty, score.extra, score.late_days), (0.0, 0.0, 0.0, 0));
        prop_assert!(exercises.iter().all(|exercise| exercise.status == status && exercise.points == 0.0));
        prop_assert!(exercises.iter().flat_map(|exercise| &exercise.items).all(|item| item.points == 0.0));
    }

    /// A penalty never raises a grade, and a free day never lowers it.
    #[test]
    fn late_is_never_better(world in world()) {
        let points = |free, penalty| world.score(free, penalty, &mut world.exercises()).points;
        let Late { free, penalty, .. } = world.late;
        prop_assert!(points(free, penalty) <= points(free, penalty / 2.0));
        prop_assert!(points(free, penalty) <= points(free + 1, penalty));
        prop_assert!(points(366, penalty) >= points(0, penalty));
    }

    /// No way to spend the free days is better than the one that is found.
    #[test]
    fn free_days_are_spent_best(world in world()) {
        let mut exercises = world.exercises();
        let found = world.score(world.late.free, world.late.penalty, &mut exercises);
        let mut dues: Vec<_> = exercises.iter().map(|exercise| exercise.due).collect();
        dues.sort();
        dues.dedup();
        let mut best = 0.0_f64;
        let free = world.late.free;
        for one in 0..=free {
            for two in 0..=free - one {
                for three in 0..=free - one - two {
                    // Spent by hand: a student who has none, and whose due dates lie later.
                    let days = [one, two, three];
                    let mut by_hand = world.clone();
                    for (at, exercise) in exercises.iter().enumerate() {
                        let due = dues.iter().position(|due| *due == exercise.due).unwrap();
                        by_hand.days[at] -= i64::from(days[due]);
                    }
                    best = best.max(by_hand.score(0, world.late.penalty, &mut by_hand.exercises()).points);
                }
            }
        }
        prop_assert!((found.points - best).abs() < 0.011, "{} {}", found.points, best);
    }
}

/// Points by hand take the place of the runs', and a penalty is taken from them unless the days are
/// set by hand, too.
#[test]
fn points_by_hand() {
    let policy = policy("due = \"2026-10-02T23:59:00Z\"\n[late]\npenalty = 0.1\n");
    let decide = |points, late_days| {
        let items = vec![case(false, true)];
        let mut one = exercise("a", items);
        one.by_hand = Some(crate::record::ByHand { points, late_days, comment: None });
        graded(&policy, "2026-10-05T12:00:00Z", vec![one]).0.points
    };
    assert_eq!(decide(Some(7.0), Some(0)), 7.0);
    assert_eq!(decide(Some(7.0), Some(2)), 5.0);
    assert_eq!(decide(None, Some(0)), 10.0);
}
