//! `checker watch`: carries out what `watch::State` decides.

use std::collections::HashMap;
use std::fs;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Instant;

use anyhow::Context;
use colored::Colorize;

use super::session::{self, Session};
use super::{Usage, check, hint, list, present};
use crate::cli::Watch;
use crate::exit::Exit;
use crate::progress;
use crate::spec::Spec;
use crate::watch::{self, Action, Checker, Contents, Event, Finished, Key, Screen, State};
use crate::{attempt, exercises};

/// What the loop hears of.
enum Message {
    Touched(&'static Spec),
    Key(Key),
    Finished(Box<Finished>),
}

/// Watches until `q`, Ctrl-C or a signal to end.
pub fn run(args: &Watch) -> anyhow::Result<Exit> {
    let session = Session::open()?;
    let spec = match args.name.as_deref() {
        Some(name) => exercises::find(name)?,
        None => session
            .next_open()
            .or_else(|| exercises::all().first().copied())
            .ok_or_else(|| Usage("the course has no exercises".into()))?,
    };
    let mut engine =
        session::engine(args.run.backend)?.confined(args.run.sandbox.into(), None, None);
    // Asked before anything can be cancelled; and a GPU that was asked for and is absent ends it here.
    engine.uses_gpu().map_err(attempt::Error::NoGpu)?;
    let (sender, messages) = mpsc::channel();

    let touched = sender.clone();
    let folder = session.workbook.root().join("exercises");
    let _watcher = watch::watch_files(&folder, move |spec| {
        let _ = touched.send(Message::Touched(spec));
    })
    .with_context(|| format!("cannot watch {}", folder.display()))?;
    signals(sender.clone());
    let finished = sender.clone();
    let checker = Checker::start(
        engine,
        session.workbook.clone(),
        session::options(&args.run),
        move |done| {
            let _ = finished.send(Message::Finished(Box::new(done)));
        },
    );
    let screen = Screen::take();
    if screen.has_keys() {
        keys(sender);
    }
    let mut desk = Desk { session, checker, screen, shown: None };
    desk.work(spec, &messages);
    Ok(Exit::Passed)
}

/// Everything that acting needs.
struct Desk {
    session: Session,
    checker: Checker,
    screen: Screen,
    /// The check that has just ended.
    shown: Option<Box<Finished>>,
}

impl Desk {
    fn work(&mut self, spec: &'static Spec, messages: &Receiver<Message>) {
        let seen = exercises::all()
            .iter()
            .map(|spec| (spec.id, self.contents(spec)))
            .collect::<HashMap<_, _>>();
        let (mut state, actions) = State::begin(spec, seen);
        let mut open = self.act(&mut state, actions);
        while open {
            let Some(message) = next(messages, state.deadline().map(|(due, _)| due)) else {
                return;
            };
            let now = Instant::now();
            let actions = match message {
                Some(Message::Touched(spec)) => state.event(Event::Touched(spec), now),
                Some(Message::Key(key)) => state.event(Event::Key(key), now),
                Some(Message::Finished(done)) => {
                    let passed = done.result.as_ref().is_ok_and(attempt::Attempt::passed);
                    let event = Event::Finished { number: done.number, passed };
                    self.shown = Some(done);
                    state.event(event, now)
                }
                None => {
                    let contents = state.deadline().map(|(_, spec)| self.contents(spec));
                    state.due(contents.flatten(), now)
                }
            };
            open = self.act(&mut state, actions);
        }
    }

    /// Acts, in order; false when it is time to leave.
    fn act(&mut self, state: &mut State, actions: Vec<Action>) -> bool {
        for action in actions {
            match action {
                Action::Quit => return false,
                Action::Cancel => self.checker.cancel(),
                Action::Check { spec, number } => self.checker.check(spec, number),
                Action::Show => self.show(),
                Action::Hint(spec) => {
                    let text = hint::next(&mut self.session, spec);
                    self.screen.print(&format!("\n{text}\n"));
                }
                Action::List(spec) => {
                    self.screen.page();
                    self.screen.print(&list::lines(&self.session, Some(spec)).join("\n"));
                    self.keys();
                }
                Action::NotYet(spec) => {
                    self.screen.print(&format!(
                        "{} is not passed yet. n again: go on all the same",
                        spec.id
                    ));
                }
                Action::Next(spec) => match self.session.next_after(spec) {
                    Some(next) => {
                        let actions = state.go_to(next);
                        self.act(state, actions);
                    }
                    None => self.screen.print("Everything else is done. Well done!"),
                },
            }
        }
        true
    }

    fn show(&mut self) {
        let Some(done) = self.shown.take() else { return };
        self.screen.page();
        match done.result {
            Ok(attempt) => {
                let _ = self.session.record(done.spec, &attempt);
                let report = present::report(&self.session, done.spec, &attempt);
                self.screen.print(present::text(&report, &attempt).trim_end());
                if attempt.passed() {
                    let line = check::progress_line(&self.session, done.spec);
                    self.screen.print(&format!("  {line}"));
                }
            }
            Err(error) => {
                self.screen.print(&format!("{}: {error}", "error".red().bold()));
            }
        }
        self.keys();
    }

    fn keys(&self) {
        if self.screen.has_keys() {
            let keys = "n: next   h: hint   l: list   r: run again   q: quit";
            self.screen.print(&format!("\n  {}", keys.dimmed()));
        }
    }

    /// The hash of the learner's file; `None` while it is missing or empty.
    fn contents(&self, spec: &Spec) -> Contents {
        let bytes = fs::read(self.session.workbook.exercise(spec)).ok()?;
        (!bytes.is_empty()).then(|| progress::hash(&bytes))
    }
}

/// The next message; `Some(None)` when the deadline came first, `None` when nobody is left to send one.
fn next(messages: &Receiver<Message>, deadline: Option<Instant>) -> Option<Option<Message>> {
    let Some(deadline) = deadline else { return messages.recv().ok().map(Some) };
    let wait = deadline.saturating_duration_since(Instant::now());
    match messages.recv_timeout(wait) {
        Ok(message) => Some(Some(message)),
        Err(mpsc::RecvTimeoutError::Timeout) => Some(None),
        Err(mpsc::RecvTimeoutError::Disconnected) => None,
    }
}

fn keys(sender: Sender<Message>) {
    thread::spawn(move || {
        loop {
            let key = watch::key();
            if sender.send(Message::Key(key.unwrap_or(Key::Quit))).is_err() || key.is_none() {
                return;
            }
        }
    });
}

/// Ctrl-C without a terminal, and a polite end: the worker is killed and the terminal given back on these ways out too.
#[cfg(unix)]
fn signals(sender: Sender<Message>) {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    if let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM]) {
        thread::spawn(move || {
            for _ in signals.forever() {
                let _ = sender.send(Message::Key(Key::Quit));
            }
        });
    }
}

#[cfg(not(unix))]
fn signals(_sender: Sender<Message>) {}
