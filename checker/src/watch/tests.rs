//! Orders of events, played through without files, clocks or a terminal.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::{Action, Event, Key, State};
use crate::exercises;
use crate::spec::Spec;

/// The state machine with a clock that the test moves; actions are compared as words.
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

    /// The state after the first check, which failed.
    fn after_the_first_check() -> Self {
        let (mut script, _) = Self::begin();
        script.event(Event::Finished { number: 1, passed: false });
        script
    }

    fn event(&mut self, event: Event) -> Vec<String> {
        words(&self.state.event(event, self.now))
    }

    /// Moves the clock to the deadline, with these contents in the file. Returns the milliseconds
    /// waited and the actions.
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

/// The learner sees a verdict before the first save.
#[test]
fn watching_begins_with_a_check() {
    let (mut script, actions) = Script::begin();
    assert_eq!(actions, ["check add_one 1"]);
    assert_eq!(script.event(Event::Finished { number: 1, passed: false }), ["show"]);
    assert!(script.state.deadline().is_none(), "and then it waits for an event");
}

/// The check starts soon after a save, even if the editor keeps causing events.
#[test]
fn later_events_do_not_postpone_the_check() {
    let mut script = Script::after_the_first_check();
    script.event(Event::Touched(first()));
    let due = script.state.deadline().expect("pending").0;
    script.now += Duration::from_millis(5);
    script.event(Event::Touched(first()));
    assert_eq!(script.state.deadline().expect("pending").0, due);
    let (waited, actions) = script.due(Some("new"));
    assert!(waited <= 10, "{waited} ms");
    assert_eq!(actions, ["check add_one 2"]);
}

/// Opening a file, touching it, and the second event of a save do not change the contents, so they
/// cause no second verdict.
#[test]
fn the_same_contents_are_not_checked_twice() {
    let mut script = Script::after_the_first_check();
    assert!(script.save("original").is_empty());
    assert_eq!(script.save("new"), ["check add_one 2"]);
    assert!(script.save("new").is_empty());
}

/// Editors truncate a file or move it away before they write it, and that moment is not a save.
#[test]
fn a_file_that_is_empty_for_a_moment_is_not_checked_yet() {
    let mut script = Script::after_the_first_check();
    script.event(Event::Touched(first()));
    assert!(script.due(None).1.is_empty());
    let (waited, actions) = script.due(Some("new"));
    assert!((50..=200).contains(&waited), "{waited} ms");
    assert_eq!(actions, ["check add_one 2"]);

    script.event(Event::Touched(first()));
    assert!(script.due(None).1.is_empty());
    assert_eq!(
        script.due(None).1,
        ["cancel", "check add_one 3"],
        "a file that stays empty is checked"
    );
}

/// The next save cancels the check of an endless kernel, whose late result is not shown.
#[test]
fn a_save_during_a_check_cancels_it() {
    let mut script = Script::after_the_first_check();
    assert_eq!(script.save("endless"), ["check add_one 2"]);
    assert_eq!(script.save("better"), ["cancel", "check add_one 3"]);
    assert!(script.event(Event::Finished { number: 2, passed: false }).is_empty());
    assert_eq!(script.event(Event::Finished { number: 3, passed: true }), ["show"]);
    assert!(script.event(Event::Finished { number: 3, passed: true }).is_empty(), "only once");
}

/// Saving another exercise makes it the current one.
#[test]
fn saving_another_exercise_moves_there() {
    let mut script = Script::after_the_first_check();
    script.event(Event::Touched(second()));
    assert!(script.due(Some("original")).1.is_empty(), "the contents are the same");
    script.event(Event::Touched(second()));
    assert_eq!(script.due(Some("begun")).1, ["check guard 2"]);
    assert_eq!(script.state.current().id, "guard");
}

/// An editor saves all its files at once. The last one is unchanged, which hides no other.
#[test]
fn files_that_are_saved_together_are_all_looked_at() {
    let mut script = Script::after_the_first_check();
    script.event(Event::Touched(second()));
    script.event(Event::Touched(first()));
    let (_, pending) = script.state.deadline().expect("pending");
    assert_eq!(pending.id, "guard", "in the order of the saves");
    assert_eq!(script.due(Some("begun")).1, ["check guard 2"]);
    assert!(script.due(Some("original")).1.is_empty());
    assert!(script.state.deadline().is_none());
}

/// Each of two changed exercises gets a verdict.
#[test]
fn two_changed_exercises_are_checked_one_after_the_other() {
    let mut script = Script::after_the_first_check();
    script.event(Event::Touched(second()));
    script.event(Event::Touched(first()));
    assert_eq!(script.due(Some("begun")).1, ["check guard 2"]);
    assert!(script.due(Some("new")).1.is_empty(), "the check under way goes on");
    let finished = script.event(Event::Finished { number: 2, passed: true });
    assert_eq!(finished, ["show", "check add_one 3"]);
    assert_eq!(script.event(Event::Finished { number: 3, passed: true }), ["show"]);
}

/// Each key does what the line at the bottom of the screen says, and no exercise is skipped by
/// accident.
#[test]
fn keys() {
    let mut script = Script::after_the_first_check();
    assert_eq!(script.event(Event::Key(Key::Hint)), ["hint add_one"]);
    assert_eq!(script.event(Event::Key(Key::List)), ["list at add_one"]);
    assert_eq!(script.event(Event::Key(Key::Again)), ["check add_one 2"]);
    assert_eq!(script.event(Event::Key(Key::Again)), ["cancel", "check add_one 3"]);
    script.event(Event::Finished { number: 3, passed: false });
    assert_eq!(script.event(Event::Key(Key::Next)), ["add_one is not passed"]);
    assert_eq!(script.event(Event::Key(Key::Next)), ["next after add_one"]);
    assert_eq!(words(&script.state.move_to(second())), ["check guard 4"]);
    script.event(Event::Finished { number: 4, passed: true });
    assert_eq!(script.event(Event::Key(Key::Next)), ["next after guard"]);
    assert_eq!(script.event(Event::Key(Key::Quit)), ["cancel", "quit"]);
}
