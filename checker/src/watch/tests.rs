//! Orders of events, played through without files, clocks or a terminal.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::{Action, Event, Key, State};
use crate::exercises;
use crate::spec::Spec;

/// A course, a clock that moves when told to, and what the loop did, in words.
struct Script {
    state: State,
    now: Instant,
}

impl Script {
    fn begin() -> (Self, Vec<String>) {
        let seen = exercises::all().iter().map(|spec| (spec.id, Some("original".into())));
        let (state, actions) = State::begin(first(), seen.collect::<HashMap<_, _>>());
        (Self { state, now: Instant::now() }, words(&actions))
    }

    /// Past the first check, which failed.
    fn after_the_first_check() -> Self {
        let (mut script, _) = Self::begin();
        script.event(Event::Finished { number: 1, passed: false });
        script
    }

    fn event(&mut self, event: Event) -> Vec<String> {
        words(&self.state.event(event, self.now))
    }

    /// Lets the deadline come, with these contents in the file. Milliseconds waited, and what happened.
    fn due(&mut self, contents: Option<&str>) -> (u128, Vec<String>) {
        let (due, _) = self.state.deadline().expect("something is pending");
        let waited = due.saturating_duration_since(self.now);
        self.now = self.now.max(due);
        (waited.as_millis(), words(&self.state.due(contents.map(Into::into), self.now)))
    }

    fn save(&mut self, contents: &str) -> Vec<String> {
        self.event(Event::Touched(self.state.current()));
        self.due(Some(contents)).1
    }
}

fn first() -> &'static Spec {
    exercises::all()[0]
}

fn second() -> &'static Spec {
    exercises::all()[1]
}

fn words(actions: &[Action]) -> Vec<String> {
    let word = |action: &Action| match action {
        Action::Check { spec, number } => format!("check {} {number}", spec.id),
        Action::Next(spec) => format!("next after {}", spec.id),
        Action::NotYet(spec) => format!("{} is not passed", spec.id),
        Action::Hint(spec) => format!("hint {}", spec.id),
        Action::List(spec) => format!("list at {}", spec.id),
        Action::Cancel => "cancel".into(),
        Action::Show => "show".into(),
        Action::Quit => "quit".into(),
    };
    actions.iter().map(word).collect()
}

/// Nobody should have to save first in order to see something.
#[test]
fn it_begins_with_a_check() {
    let (mut script, actions) = Script::begin();
    assert_eq!(actions, ["check double_it 1"]);
    assert_eq!(script.event(Event::Finished { number: 1, passed: false }), ["show"]);
    assert!(script.state.deadline().is_none(), "and then sleeps");
}

/// The reaction to a save must be quick, also when the editor goes on making events.
#[test]
fn the_first_event_starts_the_clock_and_later_ones_do_not_reset_it() {
    let mut script = Script::after_the_first_check();
    script.event(Event::Touched(first()));
    let due = script.state.deadline().expect("pending").0;
    script.now += Duration::from_millis(5);
    script.event(Event::Touched(first()));
    assert_eq!(script.state.deadline().expect("pending").0, due);
    let (waited, actions) = script.due(Some("new"));
    assert!(waited <= 10, "{waited} ms");
    assert_eq!(actions, ["check double_it 2"]);
}

/// Opening, touching, and the second event of one save change nothing: no second verdict flickers by.
#[test]
fn the_same_contents_are_not_checked_twice() {
    let mut script = Script::after_the_first_check();
    assert!(script.save("original").is_empty());
    assert_eq!(script.save("new"), ["check double_it 2"]);
    assert!(script.save("new").is_empty());
}

/// Editors truncate before they write, or move the file away: that moment is no save.
#[test]
fn a_file_that_is_empty_for_a_moment_is_waited_for() {
    let mut script = Script::after_the_first_check();
    script.event(Event::Touched(first()));
    assert!(script.due(None).1.is_empty());
    let (waited, actions) = script.due(Some("new"));
    assert!((50..=200).contains(&waited), "{waited} ms");
    assert_eq!(actions, ["check double_it 2"]);

    script.event(Event::Touched(first()));
    assert!(script.due(None).1.is_empty());
    assert_eq!(
        script.due(None).1,
        ["cancel", "check double_it 3"],
        "empty for good is a verdict too"
    );
}

/// An endless kernel: the next save ends it, and its late result is not shown.
#[test]
fn a_save_during_a_check_cancels_it() {
    let mut script = Script::after_the_first_check();
    assert_eq!(script.save("endless"), ["check double_it 2"]);
    assert_eq!(script.save("better"), ["cancel", "check double_it 3"]);
    assert!(script.event(Event::Finished { number: 2, passed: false }).is_empty());
    assert_eq!(script.event(Event::Finished { number: 3, passed: true }), ["show"]);
    assert!(script.event(Event::Finished { number: 3, passed: true }).is_empty(), "only once");
}

/// Who saves another exercise works on that one now.
#[test]
fn saving_another_exercise_goes_there() {
    let mut script = Script::after_the_first_check();
    script.event(Event::Touched(second()));
    assert!(script.due(Some("original")).1.is_empty(), "only looked at");
    script.event(Event::Touched(second()));
    assert_eq!(script.due(Some("begun")).1, ["check guard 2"]);
    assert_eq!(script.state.current().id, "guard");
}

/// Every key does what the line at the bottom says; an exercise is not skipped by accident.
#[test]
fn keys() {
    let mut script = Script::after_the_first_check();
    assert_eq!(script.event(Event::Key(Key::Hint)), ["hint double_it"]);
    assert_eq!(script.event(Event::Key(Key::List)), ["list at double_it"]);
    assert_eq!(script.event(Event::Key(Key::Again)), ["check double_it 2"]);
    assert_eq!(script.event(Event::Key(Key::Again)), ["cancel", "check double_it 3"]);
    script.event(Event::Finished { number: 3, passed: false });
    assert_eq!(script.event(Event::Key(Key::Next)), ["double_it is not passed"]);
    assert_eq!(script.event(Event::Key(Key::Next)), ["next after double_it"]);
    assert_eq!(words(&script.state.go_to(second())), ["check guard 4"]);
    script.event(Event::Finished { number: 4, passed: true });
    assert_eq!(script.event(Event::Key(Key::Next)), ["next after guard"]);
    assert_eq!(script.event(Event::Key(Key::Quit)), ["cancel", "quit"]);
}
