//! `checker watch`: carries out the actions that `watch::State` decides on.

use std::collections::HashMap;
use std::fs;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Instant;

use anyhow::Context;
use colored::Colorize;

use crate::attempt::{self, Attempt};
use crate::cli::{Watch, WatchFormat};
use crate::error::Usage;
use crate::exit::Exit;
use crate::report::short;
use crate::session::{self, Session};
use crate::spec::Spec;
use crate::watch::{self, Action, Checker, Contents, Event, Finished, Key, Screen, State};
use crate::worker::Killer;
use crate::{exercises, present, progress};

type Checked = Finished<Result<Attempt, attempt::Error>>;

/// What other threads send to the loop.
enum Message {
    Touched(&'static Spec),
    Key(Key),
    Finished(Box<Checked>),
}

/// Watches until `q`, Ctrl-C or a terminating signal.
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
    // A GPU that was requested and is absent ends the command here. The GPU is looked for now
    // because a later search could be cancelled with a check.
    engine.uses_gpu().map_err(attempt::Error::NoGpu)?;
    let (sender, messages) = mpsc::channel();

    let touched = sender.clone();
    let folder = session.workbook.root().join("exercises");
    let _watcher = watch::watch_files(&folder, move |spec| {
        let _ = touched.send(Message::Touched(spec));
    })
    .with_context(|| format!("cannot watch {}", folder.display()))?;
    forward_signals(sender.clone());
    let finished = sender.clone();
    let killer = engine.killer();
    let (resume, workbook, options) =
        (engine.killer(), session.workbook.clone(), args.run.options());
    let check = move |spec: &'static Spec| {
        // A job is sent after the cancellation of the one before it, so nothing here is cancelled
        // yet.
        resume.resume();
        attempt::check(spec, &workbook.exercise(spec), &mut engine, &options)
    };
    let checker = Checker::start(check, move |done| {
        let _ = finished.send(Message::Finished(Box::new(done)));
    });
    let screen = Screen::open();
    if screen.has_keys() {
        read_keys(sender);
    }
    let short = args.format == WatchFormat::Short;
    let mut watching = Watching { session, checker, killer, screen, short, finished: None };
    watching.run(spec, &messages);
    Ok(Exit::Passed)
}

/// The loop, with what its actions need.
struct Watching {
    session: Session,
    checker: Checker,
    /// Ends the check under way.
    killer: Killer,
    screen: Screen,
    /// Whether verdicts are lines for an editor.
    short: bool,
    /// The check that has ended and is not shown yet.
    finished: Option<Box<Checked>>,
}

impl Watching {
    fn run(&mut self, spec: &'static Spec, messages: &Receiver<Message>) {
        let seen = exercises::all()
            .iter()
            .map(|spec| (spec.id, self.contents(spec)))
            .collect::<HashMap<_, _>>();
        let (mut state, actions) = State::begin(spec, seen);
        let mut open = self.act(&mut state, actions);
        while open {
            let Some(message) = next_message(messages, state.deadline().map(|(due, _)| due)) else {
                return;
            };
            let now = Instant::now();
            let actions = match message {
                Some(Message::Touched(spec)) => state.event(Event::Touched(spec), now),
                Some(Message::Key(key)) => state.event(Event::Key(key), now),
                Some(Message::Finished(done)) => {
                    let passed = done.result.as_ref().is_ok_and(Attempt::passed);
                    let event = Event::Finished { number: done.number, passed };
                    self.finished = Some(done);
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

    /// Carries the actions out in order; false after [`Action::Quit`].
    fn act(&mut self, state: &mut State, actions: Vec<Action>) -> bool {
        for action in actions {
            match action {
                Action::Quit => return false,
                Action::Cancel => self.killer.kill(),
                Action::Check { spec, number } => {
                    if self.short {
                        self.screen.print(&format!("checking {}", spec.id));
                    }
                    self.checker.check(spec, number);
                }
                Action::Show => self.show(),
                Action::Hint(spec) => {
                    let text = present::next_hint(&mut self.session, spec);
                    self.screen.print(&format!("\n{text}\n"));
                }
                Action::List(spec) => {
                    self.screen.start_page();
                    self.screen.print(&present::course(&self.session, Some(spec)).join("\n"));
                    self.print_keys();
                }
                Action::NotYet(spec) => {
                    self.screen.print(&format!(
                        "{} is not passed yet. Press n again to skip it.",
                        spec.id
                    ));
                }
                Action::Next(spec) => match self.session.next_after(spec) {
                    Some(next) => {
                        let actions = state.move_to(next);
                        self.act(state, actions);
                    }
                    None => self.screen.print("Every other exercise is done. Well done!"),
                },
            }
        }
        true
    }

    fn show(&mut self) {
        let Some(done) = self.finished.take() else { return };
        if self.short {
            self.show_lines(*done);
            return;
        }
        self.screen.start_page();
        match done.result {
            Ok(attempt) => {
                present::record(&mut self.session, done.spec, &attempt);
                let report = present::report(&self.session, done.spec, &attempt);
                self.screen.print(&present::text(&report, &attempt));
                if attempt.passed() {
                    let line = present::progress_line(&self.session, done.spec);
                    self.screen.print(&format!("  {line}"));
                }
            }
            Err(error) => {
                self.screen.print(&format!("{}: {error}", "error".red().bold()));
            }
        }
        self.print_keys();
    }

    /// Prints a verdict for an editor, which recognises its end by the last line.
    fn show_lines(&mut self, done: Checked) {
        match done.result {
            Ok(attempt) => {
                present::record(&mut self.session, done.spec, &attempt);
                let report = present::report(&self.session, done.spec, &attempt);
                self.screen.print(short::render(&report).trim_end());
            }
            Err(error) => self.screen.print(&format!("error: {error}")),
        }
        self.screen.print(&format!("checked {}", done.spec.id));
    }

    fn print_keys(&self) {
        if self.screen.has_keys() {
            let keys = "n: next   h: hint   l: list   r: run again   q: quit";
            self.screen.print(&format!("\n  {}", keys.dimmed()));
        }
    }

    /// The contents of the learner's file, as [`State`] compares them.
    fn contents(&self, spec: &Spec) -> Contents {
        let bytes = fs::read(self.session.workbook.exercise(spec)).ok()?;
        (!bytes.is_empty()).then(|| progress::hash(&bytes))
    }
}

/// The next message; `Some(None)` when the deadline came first, `None` when all senders are gone.
fn next_message(
    messages: &Receiver<Message>,
    deadline: Option<Instant>,
) -> Option<Option<Message>> {
    let Some(deadline) = deadline else { return messages.recv().ok().map(Some) };
    let wait = deadline.saturating_duration_since(Instant::now());
    match messages.recv_timeout(wait) {
        Ok(message) => Some(Some(message)),
        Err(mpsc::RecvTimeoutError::Timeout) => Some(None),
        Err(mpsc::RecvTimeoutError::Disconnected) => None,
    }
}

fn read_keys(sender: Sender<Message>) {
    thread::spawn(move || {
        loop {
            let key = watch::read_key();
            if sender.send(Message::Key(key.unwrap_or(Key::Quit))).is_err() || key.is_none() {
                return;
            }
        }
    });
}

/// Turns Ctrl-C without a terminal, a hang-up and a termination request into [`Key::Quit`], so that
/// the worker is killed and the terminal is restored in these cases, too.
#[cfg(unix)]
fn forward_signals(sender: Sender<Message>) {
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
fn forward_signals(_sender: Sender<Message>) {}
