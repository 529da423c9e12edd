//! What watching does next: a state machine without clocks, files or terminals, so that every order of events can be
//! played through in a test.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::spec::Spec;

/// Time for an editor to finish the save that has begun: many truncate, then write.
const SETTLE: Duration = Duration::from_millis(8);
/// More time where the file is missing or empty just now: others delete or rename, then write.
const PATIENCE: Duration = Duration::from_millis(100);

/// Something that happened.
#[derive(Debug, Clone, Copy)]
pub enum Event {
    /// The file system reports a change of this exercise's file; nothing may have changed in it.
    Touched(&'static Spec),
    /// A key.
    Key(Key),
    /// The check with this number has ended, and `passed` or not.
    Finished {
        /// The number that [`Action::Check`] gave it.
        number: u64,
        /// Whether the exercise is passed.
        passed: bool,
    },
}

/// The keys that do something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// Go to the next exercise.
    Next,
    /// One more hint.
    Hint,
    /// The list of exercises.
    List,
    /// Check again.
    Again,
    /// Leave.
    Quit,
}

/// Something to do.
#[derive(Debug, Clone, Copy)]
pub enum Action {
    /// Kill what is running.
    Cancel,
    /// Check the exercise; report back under this number.
    Check {
        /// The exercise.
        spec: &'static Spec,
        /// To be given back in [`Event::Finished`].
        number: u64,
    },
    /// Show the result of the check that has just ended.
    Show,
    /// Move on to the exercise after this one.
    Next(&'static Spec),
    /// Say that this exercise is not passed yet, and how to move on all the same.
    NotYet(&'static Spec),
    /// One more hint.
    Hint(&'static Spec),
    /// The list.
    List(&'static Spec),
    /// Leave.
    Quit,
}

/// The file as it is now: the hash of its contents, or `None` while it is missing or empty.
pub type Contents = Option<String>;

/// Where watching stands.
#[derive(Debug)]
pub struct State {
    current: &'static Spec,
    /// The number of the check under way.
    running: Option<u64>,
    last: u64,
    passed: bool,
    /// Contents as last checked (or as found at the start), by exercise.
    seen: HashMap<&'static str, Contents>,
    pending: Option<Pending>,
}

/// A change that is given time to settle.
#[derive(Debug, Clone, Copy)]
struct Pending {
    spec: &'static Spec,
    due: Instant,
    patient: bool,
}

impl State {
    /// Watching begins at `current`, whose contents are now `contents`, with a check.
    pub fn begin(
        current: &'static Spec,
        seen: HashMap<&'static str, Contents>,
    ) -> (Self, Vec<Action>) {
        let mut state =
            Self { current, running: None, last: 0, passed: false, seen, pending: None };
        let actions = state.check();
        (state, actions)
    }

    /// The exercise that is being worked on.
    pub fn current(&self) -> &'static Spec {
        self.current
    }

    /// When [`State::due`] wants to be called, and for which exercise's contents.
    pub fn deadline(&self) -> Option<(Instant, &'static Spec)> {
        self.pending.map(|pending| (pending.due, pending.spec))
    }

    /// Takes an event.
    pub fn event(&mut self, event: Event, now: Instant) -> Vec<Action> {
        match event {
            Event::Touched(spec) => {
                // The first event starts the clock and later ones do not reset it: a verdict soon, not after quiet.
                if self.pending.is_none_or(|pending| pending.spec.id != spec.id) {
                    self.pending = Some(Pending { spec, due: now + SETTLE, patient: false });
                }
                vec![]
            }
            Event::Finished { number, passed } if self.running == Some(number) => {
                self.running = None;
                self.passed = passed;
                vec![Action::Show]
            }
            // A cancelled check reports late: its result is about contents that are gone.
            Event::Finished { .. } => vec![],
            Event::Key(Key::Quit) => vec![Action::Cancel, Action::Quit],
            Event::Key(Key::Again) => self.check(),
            Event::Key(Key::Hint) => vec![Action::Hint(self.current)],
            Event::Key(Key::List) => vec![Action::List(self.current)],
            Event::Key(Key::Next) if self.passed => vec![Action::Next(self.current)],
            Event::Key(Key::Next) => {
                // Asked once, it says so; asked again, it goes.
                self.passed = true;
                vec![Action::NotYet(self.current)]
            }
        }
    }

    /// The deadline has come, and the file holds `contents`.
    pub fn due(&mut self, contents: Contents, now: Instant) -> Vec<Action> {
        let Some(pending) = self.pending.take() else { return vec![] };
        if contents.is_none() && !pending.patient {
            self.pending = Some(Pending { due: now + PATIENCE, patient: true, ..pending });
            return vec![];
        }
        if self.seen.get(pending.spec.id) == Some(&contents) {
            return vec![];
        }
        self.seen.insert(pending.spec.id, contents);
        self.current = pending.spec;
        self.check()
    }

    /// Goes to another exercise and checks it.
    pub fn go_to(&mut self, spec: &'static Spec) -> Vec<Action> {
        self.current = spec;
        self.check()
    }

    fn check(&mut self) -> Vec<Action> {
        let cancel = self.running.map(|_| Action::Cancel);
        self.last += 1;
        self.running = Some(self.last);
        self.passed = false;
        let check = Action::Check { spec: self.current, number: self.last };
        cancel.into_iter().chain([check]).collect()
    }
}
