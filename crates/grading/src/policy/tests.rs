use super::*;

fn course() -> Course {
    Course::example(&[
        ("ch01_threads", "blocks"),
        ("ch01_threads", "guard"),
        ("ch04_shared", "tile_transpose"),
    ])
}

fn parse(text: &str) -> Policy {
    Policy::parse(text, &course()).unwrap_or_else(|error| panic!("{error}"))
}

fn errors(text: &str) -> String {
    Policy::parse(text, &course()).expect_err("refused").to_string()
}

fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// The example is all that an instructor reads: every key in it exists and
/// means what it says.
#[test]
fn the_documented_example() {
    let example = include_str!("example.toml");
    let policy = parse(example);
    assert_eq!(policy.title, "CS 149, assignment 1");
    let ids: Vec<&str> = policy.rules.iter().map(|rule| rule.exercise.as_str()).collect();
    assert_eq!(ids, ["blocks", "guard", "tile_transpose"]);
    let transpose = policy.rule("tile_transpose").unwrap();
    assert!(transpose.bonus && transpose.partial);
    assert_eq!((transpose.points, transpose.gate_bonus), (20.0, 0.0));
    assert_eq!(transpose.weights, Weights { visible: 1.0, hidden: 1.0, gate: Some(1.0) });
    assert_eq!(transpose.due, Some(time("2026-10-16T23:59-07:00")));
    assert_eq!(transpose.release, Some(time("2026-09-25T16:00Z")));
    assert_eq!(policy.rule("blocks").unwrap().due, Some(time("2026-10-02T23:59-07:00")));
    assert_eq!(policy.rule("blocks").unwrap().points, 10.0);
    let late = Late {
        free_days: 3,
        grace_minutes: 15,
        penalty: 0.1,
        of: PenaltyBase::Possible,
        most: 0.5,
        cutoff_days: Some(5),
        earlier: policy.late.earlier.clone(),
    };
    let earlier: Vec<&str> =
        policy.late.earlier.iter().flatten().map(|folder| folder.path.as_str()).collect();
    assert_eq!((earlier, policy.counts), (vec!["../week1/results"], Counts::Best));
    assert_eq!(policy.late, late);
    let until = Some(time("2026-10-20T12:00-07:00"));
    assert_eq!(policy.hidden, Hidden { seeds: 1, show: Show::Verdict, until });
    assert_eq!(policy.attempts, Some(20));
    let ada = "ada@example.org";
    assert_eq!((policy.free_days(ada), policy.free_days("alan")), (5, 3));
    assert!(policy.is_excused("tile_transpose", ada) && !policy.is_excused("blocks", ada));
    assert_eq!(policy.due("blocks", ada), Some(time("2026-10-30T12:00-07:00")));
    assert_eq!(policy.due("blocks", "alan"), Some(time("2026-10-02T23:59-07:00")));
    // Every key that is read is in the example.
    for key in file::ALL_KEYS.iter().flat_map(|keys| keys.iter()) {
        let shown = [format!("{key} ="), format!("[{key}"), key.to_string()];
        assert!(shown.iter().any(|key| example.contains(key)), "{key} is not in the example");
    }
}

/// A file that says nothing, and none, are the same but for the hash.
#[test]
fn defaults() {
    let policy = Policy::without_file(&course());
    assert_eq!(policy.hash, "");
    assert_eq!(policy.rules.len(), 3);
    assert!(
        policy.rules.iter().all(|rule| rule.points == 10.0 && rule.due.is_none() && rule.partial)
    );
    assert_eq!(Policy { hash: String::new(), ..parse("") }, policy);
    assert_eq!(parse("\u{feff}points = 3").rules[0].points, 3.0);
}

/// One line for each mistake, with its place and the way out; all mistakes at once.
#[test]
fn mistakes_have_lines() {
    insta::assert_snapshot!(errors(
        r#"titel = "CS 149"
exercises = ["ch01_threads", "tile_transpse", "ch09"]
points = -1
due = 2026-10-09T23:59:00
release = "2026-10-09"

[credit]
partial = "yes"
weights = 3

[late]
penalty = 10
of = "all"
free_days = 1.5
cutoff_days = 9999999999999999999999999

[hidden]
show = "some"
until = "tomorrow at noon:ish"

[exercise.block]
points = 3

[exercise.tile_transpose]
duedate = 2026-10-09T23:59:00Z
points = nan

[students."ada\u001b[31m\n"]
extension = 3
excused = "blocks"

[students]
alan = 3
"#
    ), @r#"
    line 1: the policy has no key `titel`; did you mean `title`?
    line 2: no exercise or chapter is called `ch09`; `checker list` shows them all
    line 2: no exercise or chapter is called `tile_transpse`; did you mean `tile_transpose`?
    line 3: `points` is -1, and has to be from 0 to 1000000
    line 4: `due` is `2026-10-09T23:59:00`: it has no time zone: write an offset such as +02:00 behind it, or `zone` for all
    line 5: `release` is `2026-10-09`: it has no time of day: write 2026-10-05T23:59:00+02:00
    line 8: `partial` is true or false, not a value of type string
    line 9: credit has no key `weights`; it may have partial, visible, hidden, gate, gate_bonus, speed_bonus, speed_of, speed_none, speed_full
    line 12: `penalty` is a fraction from 0 to 1: 0.1 for 10 %
    line 13: `of` is "all", and has to be one of "possible", "earned"
    line 14: `free_days` is a whole number from 0 to 366
    line 15: `cutoff_days` is a whole number from 0 to 366
    line 18: `show` is "some", and has to be one of "nothing", "verdict", "everything"
    line 19: `until` is `tomorrow at noon:ish`: write it as 2026-10-05 23:59
    line 21: no exercise or chapter is called `block`; did you mean `blocks`?
    line 24: `tile_transpose` has settings and is not in `exercises`: add it there
    line 25: exercise.tile_transpose has no key `duedate`; it may have points, due, release, bonus, partial, visible, hidden, gate, gate_bonus, speed_bonus, speed_of, speed_none, speed_full
    line 26: `points` is NaN, and has to be from 0 to 1000000
    line 29: students."ada\u{1b}[31m, " has no key `extension`; it may have due, extension_days, free_days, excused
    line 30: `excused` is a list of chapters and exercises, not a value of type string
    line 33: `students.alan` is a table, not a value of type integer
    "#);
    insta::assert_snapshot!(errors("[attempts]\ncap = 0\ncounts = \"first\"\n[late]\nearlier = [\n  \"a\", 3,\n  \"a\",\n]"), @r#"
    line 2: `cap` is a whole number from 1 to 4294967295
    line 3: `counts` is "first", and has to be one of "last", "last-on-time", "best"
    line 6: `earlier` is text in quotes, not a value of type integer
    line 7: `earlier` has `a` twice: its days would count twice
    "#);
    insta::assert_snapshot!(errors("[late]\nearlier = \"a\""), @"line 2: `earlier` is a list of output folders, not a value of type string");
    insta::assert_snapshot!(errors("title = \"a\ntitle = 2\n"), @r#"
    line 1: invalid basic string, expected `"`
    line 2: `title` is here a second time, and a table has each key once
    "#);
    insta::assert_snapshot!(errors("[late]\npenalty = 0.1\n[late]\nmost = 1"), @"line 3: `late` is here a second time, and a table has each key once");
    insta::assert_snapshot!(errors("hidden = 2\n\n[hidden]\nshow = \"nothing\""), @"line 3: `hidden` is here a second time, and a table has each key once; the weight of a case with secret inputs is `hidden` below `[credit]`, and what students see of these cases is the table `[hidden]`");
    insta::assert_snapshot!(errors("zone = \"Europe/Berln\"\ndue = 2026-10-09T23:59:00"), @r#"
    line 1: no time zone is called `Europe/Berln`: `Europe/Berlin` is one
    line 2: `due` is `2026-10-09T23:59:00`: it has no time zone: write an offset such as +02:00 behind it, or `zone` for all
    "#);
    insta::assert_snapshot!(errors("release = 2026-10-09T23:59:00Z\n\n[exercise.guard]\ndue = 2026-10-09T23:00:00Z"), @"line 1: `guard` would be due before its release: change `due` or `release`");
    insta::assert_snapshot!(errors("[credit]\nvisible = 0\nhidden = 0\ngate_bonus = 1"), @"line 2: `blocks` has nothing with a weight above 0, so no student can get a point for it");
    insta::assert_snapshot!(errors("[credit]\nvisible = 0\nhidden = 0\ngate = 0"), @"line 2: `blocks` has nothing with a weight above 0, so no student can get a point for it");
    insta::assert_snapshot!(errors("exercises = [\"guard\"]\n[exercise.blocks]\npoints = 1"), @"line 2: `blocks` has settings and is not in `exercises`: add it there");
    insta::assert_snapshot!(errors("exercises = []"), @"line 1: `exercises` is empty: leave it out to grade all of them");
    insta::assert_snapshot!(errors("due = \"2026-10-09T23:59:00-04:00[Europe/Berlin]\""), @"line 1: `due` is `2026-10-09T23:59:00-04:00[Europe/Berlin]`: its offset and its zone disagree: leave one out");
}

/// A change of the clock between two days makes no student late.
#[test]
fn days_end_when_the_clock_says() {
    let policy = parse("zone = \"Europe/Berlin\"\n[late]\ngrace_minutes = 10");
    // Clocks go back on 25 October: that day has 25 hours.
    let due = time("2026-10-24T23:00+02:00");
    assert_eq!(policy.days_late(due, due), 0);
    assert_eq!(policy.days_late(due, time("2026-10-24T23:10+02:00")), 0);
    assert_eq!(policy.days_late(due, time("2026-10-24T23:10:01+02:00")), 1);
    assert_eq!(policy.days_late(due, time("2026-10-25T23:00+01:00")), 1);
    assert_eq!(policy.days_late(due, time("2026-10-25T23:00:01+01:00")), 2);
    // And forward on 29 March: 23 hours, and the student keeps the 24th.
    let due = time("2026-03-28T23:00+01:00");
    assert_eq!(policy.days_late(due, time("2026-03-29T23:30+02:00")), 1);
    assert!(policy.days_late(Timestamp::MIN, Timestamp::MAX) > 7_300_000);
}

/// An extension never makes anything due earlier.
#[test]
fn exceptions_only_help() {
    let policy = parse(
        "due = 2026-10-09T12:00:00Z\n[students.a]\ndue = 2026-10-01T12:00:00Z\n[students.b]\nextension_days = 2\n\
         due = 2026-10-10T12:00:00Z\n[students.c]\nexcused = true",
    );
    assert_eq!(policy.due("blocks", "a"), Some(time("2026-10-09T12:00Z")));
    assert_eq!(policy.due("blocks", "b"), Some(time("2026-10-11T12:00Z")));
    assert!(policy.rules.iter().all(|rule| policy.is_excused(&rule.exercise, "c")));
}

/// Before its release an exercise is not graded.
#[test]
fn release() {
    let policy =
        parse("release = 2026-10-01T12:00:00Z\n[exercise.guard]\nrelease = 2026-09-01T12:00:00Z");
    let at = |text: &str| {
        policy.released(time(text)).map(|rule| rule.exercise.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(at("2026-08-01T12:00Z"), Vec::<&str>::new());
    assert_eq!(at("2026-09-01T12:00Z"), ["guard"]);
    assert_eq!(at("2026-10-01T12:00Z"), ["blocks", "guard", "tile_transpose"]);
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

    /// Whatever stands in the file, the answer is a policy or lines.
    #[test]
    fn any_text(text in "[a-z\\[\\]\"=.0-9 \n:TZ-]{0,200}") {
        if let Err(error) = Policy::parse(&text, &course()) {
            proptest::prop_assert!(!error.0.is_empty());
        }
    }

    /// Values of every type under every key.
    #[test]
    fn any_value(
        table in proptest::sample::select(vec!["", "credit", "late", "hidden", "attempts", "exercise.blocks", "chapter.ch01_threads", "students.a", "exercise", "students"]),
        key in proptest::sample::select(file::ALL_KEYS.concat()),
        value in proptest::sample::select(vec![
            "1", "-1", "0x10", "1e400", "nan", "inf", "true", "\"\"", "\"a\"", "[]", "[1]", "[[\"blocks\"]]", "{}", "{a=1}",
            "1979-05-27", "07:32:00", "1979-05-27T07:32:00", "9999-12-31T23:59:59Z", "\"-009999-01-01T00:00:00Z\"",
        ]),
    ) {
        let text = if table.is_empty() { format!("{key} = {value}") } else { format!("[{table}]\n{key} = {value}") };
        if let Ok(policy) = Policy::parse(&text, &course()) {
            for rule in &policy.rules {
                proptest::prop_assert!(rule.points.is_finite() && rule.points >= 0.0);
                policy.due(&rule.exercise, "a");
            }
        }
    }
}

/// Points for speed apply to the exercises whose kernels can be timed. A policy that asks for them
/// elsewhere by name, or that no share could reach, is a mistake.
#[test]
fn points_for_speed() {
    let course = Course::example(&[("c1", "fast_copy"), ("c1", "blocks")]);
    let parse = |text: &str| Policy::parse(text, &course);
    let policy = parse("[credit]\nspeed_bonus = 3\nspeed_of = \"copy\"").unwrap();
    let rule = policy.rule("fast_copy").unwrap();
    let speed = SpeedRule { bonus: 3.0, of: SpeedOf::Copy, none: 0.5, full: 0.9 };
    assert_eq!((rule.speed, rule.extra()), (Some(speed), 3.0));
    assert_eq!(policy.rule("blocks").unwrap().speed, None);
    assert!(!policy.leaderboard && parse("leaderboard = true").unwrap().leaderboard);
    let errors = |text: &str| parse(text).expect_err("refused").to_string();
    insta::assert_snapshot!(errors("[exercise.blocks]\nspeed_bonus = 3"), @"line 2: `blocks` can't give points for speed: its solution isn't about faster kernels");
    insta::assert_snapshot!(errors("[credit]\nspeed_bonus = 3\nspeed_none = 0.9\nspeed_full = 0.9"), @"line 4: `speed_full` is 0.9 and has to be above `speed_none`, which is 0.9; the defaults are 0.9 and 0.5");
    let slow = "exercises = [\"blocks\"]\n[credit]\nspeed_bonus = 3";
    insta::assert_snapshot!(errors(slow), @"line 3: no exercise of this class gives points for `speed_bonus`, because none is about faster kernels");
    assert!(parse("exercises = [\"blocks\"]\n[credit]\nspeed_bonus = 0").is_ok());
    insta::assert_snapshot!(errors("[credit]\nspeed_of = \"cublas\""), @r#"line 2: `speed_of` is "cublas", and has to be one of "solution", "copy""#);
}

/// Points grow with the share between the two shares.
#[test]
fn a_speed_gives_its_points() {
    let rule = SpeedRule { bonus: 4.0, of: SpeedOf::Solution, none: 0.5, full: 0.9 };
    let points = |of_solution, of_copy| {
        let gpu = String::new();
        rule.points(&Speed { seconds: 1.0, measured: true, gpu, of_solution, of_copy })
    };
    assert_eq!((points(0.3, 1.0), points(0.5, 1.0), points(2.0, 0.0)), (0.0, 0.0, 4.0));
    assert!((points(0.7, 0.0) - 2.0).abs() < 1e-9);
}
