//! What watching does next: a state machine without clocks, files or terminals, so that a test can
//! play through any order of events.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::spec::Spec;

/// How long an editor has to finish a save after the first event, because many truncate the file
/// and then write it.
const SAVE_TIME: Duration = Duration::from_millis(8);
/// How much longer it has if the file is missing or empty then, because some delete or rename the
/// file and then write it.
const EMPTY_FILE_TIME: Duration = Duration::from_millis(100);

/// Something that happened.
#[derive(Debug, Clone, Copy)]
pub enum Event {
    /// The file system reports a change of this exercise's file, whose contents may still be the
    /// same.
    Touched(&'static Spec),
    /// The learner pressed a key.
    Key(Key),
    /// The check with this number has ended.
    Finished {
        /// The number that [`Action::Check`] gave it.
        number: u64,
        /// Whether the exercise is passed.
        passed: bool,
    },
}

/// The keys that have a meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// Go to the next exercise.
    Next,
    /// Show one more hint.
    Hint,
    /// Show the list of exercises.
    List,
    /// Check again.
    Again,
    /// Quit.
    Quit,
}

/// Something to do.
#[derive(Debug, Clone, Copy)]
pub enum Action {
    /// Kill the check that is running.
    Cancel,
    /// Check the exercise, and report the end under this number.
    Check {
        /// The exercise.
        spec: &'static Spec,
        /// The number that [`Event::Finished`] must have.
        number: u64,
    },
    /// Show the result of the check that has just ended.
    Show,
    /// Move on to the exercise after this one.
    Next(&'static Spec),
    /// Say that this exercise is not passed yet, and how to skip it.
    NotYet(&'static Spec),
    /// Show one more hint.
    Hint(&'static Spec),
    /// Show the list of exercises, with this one marked.
    List(&'static Spec),
    /// Quit.
    Quit,
}

/// The hash of a file's contents; `None` while the file is missing or empty.
pub type Contents = Option<String>;

/// The state of watching.
#[derive(Debug)]
pub struct State {
    current: &'static Spec,
    /// The number of the check under way.
    running: Option<u64>,
    /// The number of the latest check.
    last: u64,
    /// Whether the key for the next exercise moves on: the exercise has passed, or the learner was
    /// warned once.
    may_move_on: bool,
    /// Contents as last checked, or as found at the start, by exercise.
    seen: HashMap<&'static str, Contents>,
    /// At most one for each exercise.
    pending: Vec<Pending>,
    /// Other exercises that were saved during the check under way, and are checked after it.
    waiting: Vec<&'static Spec>,
}

/// A change whose save may not be complete yet.
#[derive(Debug, Clone, Copy)]
struct Pending {
    spec: &'static Spec,
    due: Instant,
    /// Whether the longer time for an empty file has been granted.
    waited_for_empty: bool,
}

impl State {
    /// Starts with a check of `current`. `seen` has the contents of every exercise as they are now.
    pub fn begin(
        current: &'static Spec,
        seen: HashMap<&'static str, Contents>,
    ) -> (Self, Vec<Action>) {
        let mut state = Self {
            current,
            running: None,
            last: 0,
            may_move_on: false,
            seen,
            pending: vec![],
            waiting: vec![],
        };
        let actions = state.check();
        (state, actions)
    }

    /// The exercise that the learner is working on.
    pub fn current(&self) -> &'static Spec {
        self.current
    }

    /// When to call [`State::due`], and with the contents of which exercise.
    pub fn deadline(&self) -> Option<(Instant, &'static Spec)> {
        self.first_pending().map(|(_, pending)| (pending.due, pending.spec))
    }

    /// The pending change whose deadline comes first, and its place.
    fn first_pending(&self) -> Option<(usize, Pending)> {
        self.pending.iter().copied().enumerate().min_by_key(|(_, pending)| pending.due)
    }

    /// Handles an event.
    pub fn event(&mut self, event: Event, now: Instant) -> Vec<Action> {
        match event {
            Event::Touched(spec) => {
                // Later events do not postpone the deadline that the first one set, so that the
                // verdict comes soon.
                if self.pending.iter().all(|pending| pending.spec.id != spec.id) {
                    let due = now + SAVE_TIME;
                    self.pending.push(Pending { spec, due, waited_for_empty: false });
                }
                vec![]
            }
            Event::Finished { number, passed } if self.running == Some(number) => {
                self.running = None;
                self.may_move_on = passed;
                let mut actions = vec![Action::Show];
                if !self.waiting.is_empty() {
                    self.current = self.waiting.remove(0);
                    actions.extend(self.check());
                }
                actions
            }
            // The result of a cancelled check is about contents that have changed since.
            Event::Finished { .. } => vec![],
            Event::Key(Key::Quit) => vec![Action::Cancel, Action::Quit],
            Event::Key(Key::Again) => self.check(),
            Event::Key(Key::Hint) => vec![Action::Hint(self.current)],
            Event::Key(Key::List) => vec![Action::List(self.current)],
            Event::Key(Key::Next) if self.may_move_on => vec![Action::Next(self.current)],
            Event::Key(Key::Next) => {
                // The first press warns, and a second one moves on.
                self.may_move_on = true;
                vec![Action::NotYet(self.current)]
            }
        }
    }

    /// Handles the deadline, with the contents of the file at that moment.
    pub fn due(&mut self, contents: Contents, now: Instant) -> Vec<Action> {
        let Some((place, pending)) = self.first_pending() else { return vec![] };
        self.pending.remove(place);
        if contents.is_none() && !pending.waited_for_empty {
            let due = now + EMPTY_FILE_TIME;
            self.pending.push(Pending { due, waited_for_empty: true, ..pending });
            return vec![];
        }
        let spec = pending.spec;
        if self.seen.get(spec.id) == Some(&contents) {
            return vec![];
        }
        self.seen.insert(spec.id, contents);
        // Two exercises may be saved at once, and each gets its verdict.
        if self.running.is_some() && self.current.id != spec.id {
            if self.waiting.iter().all(|waiting| waiting.id != spec.id) {
                self.waiting.push(spec);
            }
            return vec![];
        }
        self.current = spec;
        self.check()
    }

    /// Moves on to another exercise and checks it.
    pub fn move_to(&mut self, spec: &'static Spec) -> Vec<Action> {
        self.current = spec;
        self.check()
    }

    fn check(&mut self) -> Vec<Action> {
        let (cancel, current) = (self.running.map(|_| Action::Cancel), self.current.id);
        self.waiting.retain(|waiting| waiting.id != current);
        self.last += 1;
        self.running = Some(self.last);
        self.may_move_on = false;
        let check = Action::Check { spec: self.current, number: self.last };
        cancel.into_iter().chain([check]).collect()
    }
}
