//! How often a client may have code run: a token bucket for each client.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::client::Client;

/// Buckets that are kept. A full bucket is forgotten first, because it is equal to a new one.
const MAX_BUCKETS: usize = 1 << 16;

/// The buckets of all clients.
pub struct Rates {
    /// Tokens that a bucket gets in a second.
    per_second: f64,
    /// Tokens in a full bucket.
    burst: f64,
    buckets: Mutex<HashMap<Client, Bucket>>,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    tokens: f64,
    since: Instant,
}

impl Rates {
    /// Buckets that get this many tokens in a minute, and hold at most `burst`.
    pub fn new(per_minute: u32, burst: u32) -> Self {
        let (per_second, burst) = (f64::from(per_minute) / 60.0, f64::from(burst));
        Self { per_second, burst, buckets: Mutex::default() }
    }

    /// Takes a token of this client's.
    ///
    /// # Errors
    /// How long it takes until there is one.
    pub fn take(&self, client: Client, now: Instant) -> Result<(), Duration> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MAX_BUCKETS && !buckets.contains_key(&client) {
            self.forget(&mut buckets, now);
        }
        let full = Bucket { tokens: self.burst, since: now };
        let bucket = buckets.entry(client).or_insert(full);
        let tokens = self.tokens(bucket, now);
        if tokens < 1.0 {
            return Err(Duration::from_secs_f64((1.0 - tokens) / self.per_second));
        }
        *bucket = Bucket { tokens: tokens - 1.0, since: now };
        Ok(())
    }

    fn tokens(&self, bucket: &Bucket, now: Instant) -> f64 {
        let seconds = now.saturating_duration_since(bucket.since).as_secs_f64();
        (bucket.tokens + seconds * self.per_second).min(self.burst)
    }

    /// Removes full buckets; if there are none, all, so that many addresses can't fill the memory.
    fn forget(&self, buckets: &mut HashMap<Client, Bucket>, now: Instant) {
        buckets.retain(|_, bucket| self.tokens(bucket, now) < self.burst);
        if buckets.len() >= MAX_BUCKETS {
            buckets.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(last: u32) -> Client {
        Client::new(std::net::Ipv4Addr::from_bits(last).into())
    }

    /// A client that uses up its tokens waits for the next one, and another client doesn't.
    #[test]
    fn a_client_pays_with_its_own_tokens() {
        let rates = Rates::new(60, 2);
        let start = Instant::now();
        let after = |millis| start + Duration::from_millis(millis);
        assert_eq!(rates.take(client(1), start), Ok(()));
        assert_eq!(rates.take(client(1), start), Ok(()));
        assert_eq!(rates.take(client(1), after(250)), Err(Duration::from_millis(750)));
        assert_eq!(rates.take(client(2), after(250)), Ok(()));
        assert_eq!(rates.take(client(1), after(1000)), Ok(()));
        assert!(rates.take(client(1), after(1000)).is_err());
        for _ in 0..2 {
            assert_eq!(rates.take(client(1), after(60_000)), Ok(()), "at most two are saved");
        }
        assert!(rates.take(client(1), after(60_000)).is_err());
    }

    #[test]
    fn the_buckets_of_many_clients_take_limited_memory() {
        let rates = Rates::new(60, 1);
        let start = Instant::now();
        for index in 0..MAX_BUCKETS as u32 + 10 {
            assert_eq!(rates.take(client(index), start), Ok(()));
        }
        assert!(rates.buckets.lock().expect("buckets").len() <= MAX_BUCKETS);
    }
}
