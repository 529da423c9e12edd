//! The thread that checks. It makes one check at a time, and a newer text ends the check that is
//! running, so that a kernel that never finishes keeps nothing waiting.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use checker::spec::Spec;

/// Ends the check that is running.
pub type Stop = Box<dyn Fn() + Send>;

/// What the thread does.
pub trait Work: Send + 'static {
    /// The result of a check.
    type Verdict;

    /// Prepares for the next check. This may take long.
    fn prepare(&mut self);

    /// A check begins now. Returns what ends it from another thread, if anything does.
    fn begin(&mut self) -> Option<Stop>;

    /// Checks the exercise as it is now.
    fn check(&mut self, spec: &'static Spec) -> Self::Verdict;

    /// A check has ended, and no newer text has come.
    fn finished(&mut self, spec: &'static Spec, verdict: Self::Verdict);
}

/// A handle on the thread. When it is dropped, the running check is ended, and then the thread.
pub struct Checks {
    queue: Arc<Queue>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The next one is the first. Each exercise is there at most once.
    waiting: VecDeque<&'static Spec>,
    is_running: bool,
    /// The result of the running check does not matter.
    is_stale: bool,
    stop: Option<Stop>,
    ends: bool,
}

impl Checks {
    /// Starts the thread.
    pub fn start(work: impl Work) -> Self {
        let queue = Arc::new(Queue::default());
        let shared = Arc::clone(&queue);
        Self { queue, thread: Some(thread::spawn(move || run(&shared, work))) }
    }

    /// Checks an exercise before all others. A check of another exercise that is interrupted by
    /// this one is made again later.
    pub fn submit(&self, spec: &'static Spec) {
        let mut state = self.queue.state();
        state.waiting.retain(|other| other.id != spec.id);
        state.waiting.push_front(spec);
        state.interrupt();
        self.queue.changed.notify_one();
    }
}

impl Drop for Checks {
    fn drop(&mut self) {
        let mut state = self.queue.state();
        state.ends = true;
        state.interrupt();
        drop(state);
        self.queue.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there is something to do; false if the thread must end.
    fn wait(&self) -> bool {
        let is_idle = |state: &mut State| state.waiting.is_empty() && !state.ends;
        let state = self.changed.wait_while(self.state(), is_idle);
        !state.unwrap_or_else(PoisonError::into_inner).ends
    }
}

impl State {
    fn interrupt(&mut self) {
        if self.is_running && !self.is_stale {
            self.is_stale = true;
            if let Some(stop) = &self.stop {
                stop();
            }
        }
    }
}

fn run(queue: &Queue, mut work: impl Work) {
    while queue.wait() {
        work.prepare();
        let mut state = queue.state();
        let Some(spec) = state.waiting.pop_front() else { continue };
        // From here on, a newer text ends this check.
        (state.is_running, state.is_stale, state.stop) = (true, false, work.begin());
        drop(state);
        let verdict = work.check(spec);
        let mut state = queue.state();
        (state.is_running, state.stop) = (false, None);
        if !state.is_stale {
            drop(state);
            work.finished(spec, verdict);
        } else if state.waiting.iter().all(|other| other.id != spec.id) {
            state.waiting.push_back(spec);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{self, Receiver, Sender};

    /// A check that lasts until the test, or a newer text, ends it.
    struct Manual {
        begun: Sender<&'static str>,
        end: Receiver<&'static str>,
        stop: Sender<&'static str>,
        finished: Sender<(&'static str, &'static str)>,
    }

    impl Work for Manual {
        type Verdict = &'static str;

        fn prepare(&mut self) {}

        fn begin(&mut self) -> Option<Stop> {
            let stop = self.stop.clone();
            Some(Box::new(move || stop.send("stopped").expect("the thread")))
        }

        fn check(&mut self, spec: &'static Spec) -> &'static str {
            self.begun.send(spec.id).expect("the test");
            self.end.recv().expect("the test")
        }

        fn finished(&mut self, spec: &'static Spec, verdict: &'static str) {
            self.finished.send((spec.id, verdict)).expect("the test");
        }
    }

    struct Test {
        checks: Checks,
        begun: Receiver<&'static str>,
        end: Sender<&'static str>,
        finished: Receiver<(&'static str, &'static str)>,
    }

    fn test() -> Test {
        let (begun, is_begun) = mpsc::channel();
        let (stop, end) = mpsc::channel();
        let (finished, is_finished) = mpsc::channel();
        let checks = Checks::start(Manual { begun, end, stop: stop.clone(), finished });
        Test { checks, begun: is_begun, end: stop, finished: is_finished }
    }

    fn spec(index: usize) -> &'static Spec {
        checker::exercises::all()[index]
    }

    /// While a kernel runs for ever, a newer text is checked at once, and only its verdict counts.
    #[test]
    fn a_newer_text_ends_the_check() {
        let test = test();
        test.checks.submit(spec(0));
        assert_eq!(test.begun.recv(), Ok(spec(0).id));
        test.checks.submit(spec(0));
        assert_eq!(test.begun.recv(), Ok(spec(0).id));
        test.end.send("new").expect("the thread");
        assert_eq!(test.finished.recv(), Ok((spec(0).id, "new")));
    }

    /// A page of another exercise does not wait either, and the first page gets its verdict later.
    #[test]
    fn an_interrupted_exercise_is_checked_again() {
        let test = test();
        test.checks.submit(spec(0));
        assert_eq!(test.begun.recv(), Ok(spec(0).id));
        test.checks.submit(spec(1));
        assert_eq!(test.begun.recv(), Ok(spec(1).id));
        test.end.send("one").expect("the thread");
        assert_eq!(test.finished.recv(), Ok((spec(1).id, "one")));
        assert_eq!(test.begun.recv(), Ok(spec(0).id));
        test.end.send("zero").expect("the thread");
        assert_eq!(test.finished.recv(), Ok((spec(0).id, "zero")));
    }

    /// The server ends although a kernel runs for ever.
    #[test]
    fn the_end_ends_the_check() {
        let test = test();
        test.checks.submit(spec(0));
        assert_eq!(test.begun.recv(), Ok(spec(0).id));
        drop(test.checks);
        assert!(test.finished.recv().is_err(), "no verdict, and the thread has ended");
    }
}
