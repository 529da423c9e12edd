//! What the pages are sent while they are open, as server-sent events.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::response::sse;
use futures_util::stream::{self, Stream};
use serde::Serialize;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::broadcast::{Receiver, Sender};

/// Events that a page may be behind before it has to read everything again.
const BACKLOG: usize = 64;
/// How often a line without meaning shows that the connection still works.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// One event.
#[derive(Debug, Clone)]
pub struct Event {
    /// The exercise that it is about; `None` for all pages.
    pub exercise: Option<&'static str>,
    /// Its name.
    pub name: &'static str,
    /// JSON.
    pub data: Arc<str>,
}

impl Event {
    /// An event with this value as its data.
    pub fn new(exercise: Option<&'static str>, name: &'static str, data: &impl Serialize) -> Self {
        Self { exercise, name, data: json(data).into() }
    }

    fn sent(&self) -> sse::Event {
        sse::Event::default().event(self.name).data(&self.data)
    }
}

/// A value as JSON. All values of the live book are strings, numbers and lists, which always
/// serialise.
pub fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned())
}

/// Sends events to all pages that are open.
pub struct Events {
    sender: Sender<Event>,
    /// How many pages are open, by exercise.
    open: Mutex<HashMap<&'static str, usize>>,
}

impl Default for Events {
    fn default() -> Self {
        Self { sender: Sender::new(BACKLOG), open: Mutex::default() }
    }
}

impl Events {
    /// Sends an event.
    pub fn send(&self, event: Event) {
        // This fails if no page is open.
        let _ = self.sender.send(event);
    }

    /// Whether a page of this exercise is open.
    pub fn is_open(&self, exercise: &str) -> bool {
        self.counts().get(exercise).is_some_and(|count| *count > 0)
    }

    /// A page of an exercise opens. It gets what is sent from now on.
    pub fn subscribe(self: &Arc<Self>, exercise: &'static str) -> Subscription {
        *self.counts().entry(exercise).or_default() += 1;
        Subscription { events: Arc::clone(self), receiver: self.sender.subscribe(), exercise }
    }

    fn counts(&self) -> std::sync::MutexGuard<'_, HashMap<&'static str, usize>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A page that is open.
pub struct Subscription {
    events: Arc<Events>,
    receiver: Receiver<Event>,
    exercise: &'static str,
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let Some(count) = self.events.counts().get_mut(self.exercise) {
            *count -= 1;
        }
    }
}

impl Subscription {
    /// The next event for this page; `None` when it has missed some.
    async fn next(&mut self) -> Option<Event> {
        loop {
            match self.receiver.recv().await {
                Ok(event) if event.exercise.is_none_or(|one| one == self.exercise) => {
                    return Some(event);
                }
                Ok(_) => {}
                Err(RecvError::Lagged(_) | RecvError::Closed) => return None,
            }
        }
    }

    /// The events as an answer, `first` before the others. A page that has missed an event is
    /// disconnected; it connects again, and gets a new first event.
    pub fn stream(
        self,
        first: Event,
    ) -> sse::Sse<sse::KeepAliveStream<impl Stream<Item = Result<sse::Event, Infallible>>>> {
        let events = stream::unfold((Some(first), self), |(first, mut page)| async move {
            let event = match first {
                Some(first) => first,
                None => page.next().await?,
            };
            Some((Ok(event.sent()), (None, page)))
        });
        sse::Sse::new(events).keep_alive(sse::KeepAlive::new().interval(KEEP_ALIVE))
    }
}
