//! Answers by the content of the request. Equal requests have equal answers, so each runs once,
//! and those that come meanwhile wait for the same answer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::http::StatusCode;
use tokio::sync::watch;

/// The SHA-256 of everything that an answer depends on.
pub type Key = [u8; 32];

/// What a page gets.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    /// How the request ended.
    pub status: StatusCode,
    /// JSON.
    pub json: String,
    /// Whether the exercise is passed.
    pub passed: bool,
}

type Outcome = Option<Arc<Answer>>;

/// Bytes that an entry takes beside its JSON.
const ENTRY_BYTES: usize = 256;

/// The answers that are remembered, and those that are being made.
pub struct Answers {
    limit_bytes: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    entries: HashMap<Key, Entry>,
    /// Bytes of all answers.
    bytes: usize,
    /// Counts uses; the entry with the lowest number was not used for the longest time.
    uses: u64,
}

enum Entry {
    Made { answer: Arc<Answer>, used: u64 },
    Pending(watch::Receiver<Outcome>),
}

/// What there is for a request.
pub enum Found {
    /// The answer.
    Answer(Arc<Answer>),
    /// Another request waits for it.
    Pending(watch::Receiver<Outcome>),
    /// Nothing: the caller has the answer made.
    Nothing(Promise, watch::Receiver<Outcome>),
}

/// The duty to make an answer. If it is dropped without one, those that wait learn of it.
pub struct Promise {
    answers: Arc<Answers>,
    key: Key,
    sender: watch::Sender<Outcome>,
}

impl Answers {
    /// A cache for answers of this many bytes.
    pub fn new(limit_bytes: usize) -> Arc<Self> {
        Arc::new(Self { limit_bytes, state: Mutex::default() })
    }

    /// Looks for the answer to a request.
    pub fn find(self: &Arc<Self>, key: Key) -> Found {
        let mut state = self.state();
        state.uses += 1;
        let now = state.uses;
        match state.entries.get_mut(&key) {
            Some(Entry::Made { answer, used }) => {
                *used = now;
                Found::Answer(Arc::clone(answer))
            }
            Some(Entry::Pending(receiver)) => Found::Pending(receiver.clone()),
            None => {
                let (sender, receiver) = watch::channel(None);
                state.entries.insert(key, Entry::Pending(receiver.clone()));
                Found::Nothing(Promise { answers: Arc::clone(self), key, sender }, receiver)
            }
        }
    }

    /// Bytes of all answers.
    pub fn bytes(&self) -> usize {
        self.state().bytes
    }

    fn keep(&self, key: Key, answer: Arc<Answer>) {
        let mut state = self.state();
        state.bytes += answer.json.len() + ENTRY_BYTES;
        let used = state.uses;
        state.entries.insert(key, Entry::Made { answer, used });
        if state.bytes > self.limit_bytes {
            state.shrink(self.limit_bytes / 2);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Removes the answers that were not used for the longest time.
    fn shrink(&mut self, bytes: usize) {
        let made = self.entries.iter().filter_map(|(key, entry)| match entry {
            Entry::Made { answer, used } => Some((*used, *key, answer.json.len() + ENTRY_BYTES)),
            Entry::Pending(_) => None,
        });
        let mut made: Vec<_> = made.collect();
        made.sort_unstable();
        for (_, key, size) in made {
            if self.bytes <= bytes {
                return;
            }
            self.bytes -= size;
            self.entries.remove(&key);
        }
    }
}

impl Promise {
    /// Whether no request waits for the answer any more. One receiver is in the entry.
    pub fn is_abandoned(&self) -> bool {
        self.sender.receiver_count() <= 1
    }

    /// Answers the requests that wait. With `keep`, the answer is remembered.
    pub fn fulfil(self, answer: Arc<Answer>, keep: bool) {
        if keep {
            self.answers.keep(self.key, Arc::clone(&answer));
        }
        let _ = self.sender.send(Some(answer));
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        let mut state = self.answers.state();
        if matches!(state.entries.get(&self.key), Some(Entry::Pending(_))) {
            state.entries.remove(&self.key);
        }
    }
}

/// Waits for the answer; `None` if it isn't made.
pub async fn wait(mut receiver: watch::Receiver<Outcome>) -> Outcome {
    receiver.wait_for(Option::is_some).await.ok()?.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(json: &str) -> Arc<Answer> {
        Arc::new(Answer { status: StatusCode::OK, json: json.into(), passed: false })
    }

    fn begun(answers: &Arc<Answers>, key: u8) -> Promise {
        match answers.find([key; 32]) {
            Found::Nothing(promise, _) => promise,
            _ => panic!("there is an answer"),
        }
    }

    /// Requests that come while an answer is made wait for it, and later ones get it at once.
    #[test]
    fn equal_requests_run_once() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let answers = Answers::new(1 << 20);
        let promise = begun(&answers, 1);
        let Found::Pending(receiver) = answers.find([1; 32]) else { panic!("not pending") };
        assert!(!promise.is_abandoned());
        promise.fulfil(answer("one"), true);
        assert_eq!(runtime.block_on(wait(receiver)), Some(answer("one")));
        let Found::Answer(found) = answers.find([1; 32]) else { panic!("no answer") };
        assert_eq!(found, answer("one"));
        drop(begun(&answers, 2));
    }

    /// An answer that isn't made, or that the clock may have decided, is made again.
    #[test]
    fn broken_promises() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let answers = Answers::new(1 << 20);
        let promise = begun(&answers, 1);
        let Found::Pending(receiver) = answers.find([1; 32]) else { panic!("not pending") };
        drop(promise);
        assert_eq!(runtime.block_on(wait(receiver)), None);
        let promise = begun(&answers, 1);
        assert!(promise.is_abandoned());
        promise.fulfil(answer("late"), false);
        drop(begun(&answers, 1));
        assert_eq!(answers.bytes(), 0);
    }

    /// The oldest answers make room for new ones.
    #[test]
    fn the_size_is_bounded() {
        let answers = Answers::new(10 * (ENTRY_BYTES + 100));
        let text = "x".repeat(100);
        for key in 0..100 {
            begun(&answers, key).fulfil(answer(&text), true);
            assert!(matches!(answers.find([0; 32]), Found::Answer(_)), "the first is in use");
            assert!(answers.bytes() <= 10 * (ENTRY_BYTES + 100));
        }
        assert!(matches!(answers.find([99; 32]), Found::Answer(_)));
        drop(begun(&answers, 50));
    }
}
