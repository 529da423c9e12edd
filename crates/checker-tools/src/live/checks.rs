//! The thread that runs the learner's code. It does one job at a time, and a newer job ends the one
//! that is running, so that a kernel that never finishes keeps nothing waiting.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

/// Ends the job that is running.
pub type Stop = Box<dyn Fn() + Send>;

/// Something to do.
pub trait Job: Send + 'static {
    /// Whether `older` need not be done once this job is there.
    fn replaces(&self, older: &Self) -> bool;
}

/// How jobs are done.
pub trait Work: Send + 'static {
    /// What is done.
    type Job: Job;
    /// What comes of it.
    type Outcome;

    /// Prepares for the next job. This may take long.
    fn prepare(&mut self);

    /// A job begins now. Returns what ends it from another thread, if anything does.
    fn begin(&mut self) -> Option<Stop>;

    /// Does the job with the files as they are now.
    fn run(&mut self, job: &Self::Job) -> Self::Outcome;

    /// A job has ended, and no newer one has come meanwhile.
    fn finished(&mut self, job: Self::Job, outcome: Self::Outcome);
}

/// A handle on the thread. When it is dropped, the running job is ended, and then the thread.
pub struct Checks<J> {
    queue: Arc<Queue<J>>,
    thread: Option<JoinHandle<()>>,
}

struct Queue<J> {
    state: Mutex<State<J>>,
    changed: Condvar,
}

struct State<J> {
    /// The next one is the first. None of them replaces another one.
    waiting: VecDeque<J>,
    is_running: bool,
    /// The outcome of the running job does not matter.
    is_stale: bool,
    stop: Option<Stop>,
    ends: bool,
}

impl<J: Job> Checks<J> {
    /// Starts the thread.
    pub fn start(work: impl Work<Job = J>) -> Self {
        let queue = Arc::new(Queue {
            state: Mutex::new(State {
                waiting: VecDeque::new(),
                is_running: false,
                is_stale: false,
                stop: None,
                ends: false,
            }),
            changed: Condvar::new(),
        });
        let shared = Arc::clone(&queue);
        Self { queue, thread: Some(thread::spawn(move || run(&shared, work))) }
    }

    /// Does a job before all others. A job that is interrupted is done again later, unless this one
    /// replaces it.
    pub fn submit(&self, job: J) {
        let mut state = self.queue.state();
        state.waiting.retain(|other| !job.replaces(other));
        state.waiting.push_front(job);
        state.interrupt();
        self.queue.changed.notify_one();
    }
}

impl<J> Drop for Checks<J> {
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

impl<J> Queue<J> {
    fn state(&self) -> MutexGuard<'_, State<J>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there is something to do; false if the thread must end.
    fn wait(&self) -> bool {
        let is_idle = |state: &mut State<J>| state.waiting.is_empty() && !state.ends;
        let state = self.changed.wait_while(self.state(), is_idle);
        !state.unwrap_or_else(PoisonError::into_inner).ends
    }
}

impl<J> State<J> {
    fn interrupt(&mut self) {
        if self.is_running && !self.is_stale {
            self.is_stale = true;
            if let Some(stop) = &self.stop {
                stop();
            }
        }
    }
}

fn run<W: Work>(queue: &Queue<W::Job>, mut work: W) {
    while queue.wait() {
        work.prepare();
        let mut state = queue.state();
        let Some(job) = state.waiting.pop_front() else { continue };
        // From here on, a newer job ends this one.
        (state.is_running, state.is_stale, state.stop) = (true, false, work.begin());
        drop(state);
        let outcome = work.run(&job);
        let mut state = queue.state();
        (state.is_running, state.stop) = (false, None);
        if !state.is_stale {
            drop(state);
            work.finished(job, outcome);
        } else if !state.waiting.iter().any(|newer| newer.replaces(&job)) {
            state.waiting.push_back(job);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{self, Receiver, Sender};

    use checker::spec::Spec;

    impl Job for &'static Spec {
        fn replaces(&self, older: &Self) -> bool {
            self.id == older.id
        }
    }

    /// A job that lasts until the test, or a newer one, ends it.
    struct Manual {
        begun: Sender<&'static str>,
        end: Receiver<&'static str>,
        stop: Sender<&'static str>,
        finished: Sender<(&'static str, &'static str)>,
    }

    impl Work for Manual {
        type Job = &'static Spec;
        type Outcome = &'static str;

        fn prepare(&mut self) {}

        fn begin(&mut self) -> Option<Stop> {
            let stop = self.stop.clone();
            Some(Box::new(move || stop.send("stopped").expect("the thread")))
        }

        fn run(&mut self, spec: &&'static Spec) -> &'static str {
            self.begun.send(spec.id).expect("the test");
            self.end.recv().expect("the test")
        }

        fn finished(&mut self, spec: &'static Spec, outcome: &'static str) {
            self.finished.send((spec.id, outcome)).expect("the test");
        }
    }

    struct Test {
        checks: Checks<&'static Spec>,
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
