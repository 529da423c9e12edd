//! The checks that wait. Clients take turns, so that one with many checks doesn't delay those of
//! others.

use std::collections::{HashMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::client::Client;

/// Jobs that wait, by client.
pub struct Queue<J> {
    state: Mutex<State<J>>,
    changed: Condvar,
    /// Jobs that may wait.
    limit: usize,
    /// Jobs of one client that may wait.
    limit_of_client: usize,
}

struct State<J> {
    waiting: usize,
    jobs: HashMap<Client, VecDeque<J>>,
    /// The clients that have jobs; the next one is the first.
    turns: VecDeque<Client>,
    ends: bool,
}

impl<J> Queue<J> {
    /// A queue for this many jobs. One client may have a quarter of them.
    pub fn new(limit: usize) -> Self {
        let state = State { waiting: 0, jobs: HashMap::new(), turns: VecDeque::new(), ends: false };
        let limit_of_client = (limit / 4).max(1);
        Self { state: Mutex::new(state), changed: Condvar::new(), limit, limit_of_client }
    }

    /// Adds a job of this client's.
    ///
    /// # Errors
    /// The job, when the queue is full or has ended.
    pub fn push(&self, client: Client, job: J) -> Result<(), J> {
        let mut state = self.state();
        let own = state.jobs.get(&client).map_or(0, VecDeque::len);
        if state.ends || state.waiting >= self.limit || own >= self.limit_of_client {
            return Err(job);
        }
        if own == 0 {
            state.turns.push_back(client);
        }
        state.jobs.entry(client).or_default().push_back(job);
        state.waiting += 1;
        self.changed.notify_one();
        Ok(())
    }

    /// Waits for a job, and takes it. `None` after the end.
    pub fn pop(&self) -> Option<J> {
        let is_idle = |state: &mut State<J>| state.waiting == 0 && !state.ends;
        let state = self.changed.wait_while(self.state(), is_idle);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        let client = state.turns.pop_front()?;
        let jobs = state.jobs.get_mut(&client)?;
        let job = jobs.pop_front();
        if jobs.is_empty() {
            state.jobs.remove(&client);
        } else {
            state.turns.push_back(client);
        }
        state.waiting -= 1;
        job
    }

    /// How many jobs wait.
    pub fn len(&self) -> usize {
        self.state().waiting
    }

    /// Takes no more jobs, and drops those that wait.
    pub fn end(&self) {
        let mut state = self.state();
        state.ends = true;
        state.waiting = 0;
        state.turns.clear();
        let dropped = std::mem::take(&mut state.jobs);
        drop(state);
        self.changed.notify_all();
        drop(dropped);
    }

    fn state(&self) -> MutexGuard<'_, State<J>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(last: u8) -> Client {
        Client::new([10, 0, 0, last].into())
    }

    /// A client with many jobs and one with a single job take turns.
    #[test]
    fn clients_take_turns() {
        let queue = Queue::new(16);
        for job in ["a1", "a2", "a3"] {
            queue.push(client(1), job).expect("room");
        }
        queue.push(client(2), "b1").expect("room");
        queue.push(client(3), "c1").expect("room");
        let order: Vec<_> = (0..5).map(|_| queue.pop().expect("a job")).collect();
        assert_eq!(order, ["a1", "b1", "c1", "a2", "a3"]);
    }

    /// A client fills only its own part, and all clients together fill the queue.
    #[test]
    fn the_queue_is_bounded() {
        let queue = Queue::new(8);
        for job in 0..2 {
            queue.push(client(1), job).expect("room");
        }
        assert_eq!(queue.push(client(1), 2), Err(2));
        for other in 2..5 {
            for job in 0..2 {
                queue.push(client(other), job).expect("room");
            }
        }
        assert_eq!(queue.push(client(9), 9), Err(9));
        assert_eq!((queue.len(), queue.pop()), (8, Some(0)));
        queue.push(client(9), 9).expect("room");
    }

    #[test]
    fn a_worker_that_waits_is_woken_at_the_end() {
        let queue = Queue::<u8>::new(8);
        std::thread::scope(|scope| {
            let worker = scope.spawn(|| queue.pop());
            queue.end();
            assert_eq!(worker.join().expect("no panic"), None);
        });
        assert_eq!(queue.push(client(1), 1), Err(1));
    }
}
