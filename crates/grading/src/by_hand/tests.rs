use super::*;

fn course() -> Course {
    Course::example(&[("ch01_threads", "guard"), ("ch01_threads", "blocks")])
}

fn problems(text: &str) -> String {
    Decisions::parse(text, &course()).unwrap_err().to_string()
}

/// Decisions reach the exercises they name, and no others.
#[test]
fn decisions_apply_to_their_student() {
    let text = "[\"ada@x.edu\"]\ncomment = \"Well done.\"\n[\"ada@x.edu\".guard]\npoints = 8\nlate_days = 0\n[cb.blocks]\npoints = 2.5\n";
    let decisions = Decisions::parse(text, &course()).unwrap();
    let mut exercises = ["guard", "blocks"].map(|id| Exercise::missing(id, "ch01_threads", ""));
    assert_eq!(decisions.apply("ada@x.edu", &mut exercises).as_deref(), Some("Well done."));
    let of = ByHand { points: Some(8.0), late_days: Some(0), comment: None };
    assert_eq!(exercises.clone().map(|e| e.by_hand), [Some(of), None]);
    // a decision that is taken back no longer holds
    assert_eq!(decisions.apply("grace", &mut exercises), None);
    assert!(exercises.iter().all(|exercise| exercise.by_hand.is_none()));
}

/// Every mistake has its line and the way out.
#[test]
fn mistakes_have_lines() {
    insta::assert_snapshot!(problems("[ada.gaurd]\npoints = 1\n"), @"line 1: no exercise is called `gaurd`; did you mean `guard`?");
    insta::assert_snapshot!(problems("[ada.guard]\npoints = -1\n[ada.blocks]\nlate_days = 1.5\npoint = 3\n"), @r"
    line 2: `points` must be a number, 0 or more
    line 4: `late_days` must be a whole number, 0 or more
    line 5: there is no key `point`; there are points, late_days and comment
    ");
    insta::assert_snapshot!(problems("ada = 3\n[cb]\nguard = 7\ncomment = 3\n"), @r#"
    line 1: here must be a student's table: `["ID".EXERCISE]`
    line 3: here must be an exercise's table: `["ID".EXERCISE]`
    line 4: `comment` must be text in quotes
    "#);
    insta::assert_snapshot!(problems("[ada\n"), @"line 1: unclosed table, expected `]`");
}
