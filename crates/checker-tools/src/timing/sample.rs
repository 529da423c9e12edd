//! Times that were measured several times.

use serde::{Deserialize, Serialize};

/// The times of several launches or calls in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The median.
    pub median: f64,
    /// The shortest time.
    pub least: f64,
    /// The distance between the first and the third quartile as a share of the median.
    pub spread: f64,
    /// How many times there are.
    pub count: usize,
}

impl Sample {
    /// Summarises times in milliseconds; `None` if there are none, or if one isn't positive.
    pub fn of(times: &[f64]) -> Option<Self> {
        let mut sorted = times.to_vec();
        sorted.sort_by(f64::total_cmp);
        let least = sorted.first().copied().filter(|least| *least > 0.0)?;
        let at = |share: f64| {
            let place = share * (sorted.len() - 1) as f64;
            let (low, high) = (place.floor(), place.ceil());
            let value = |index: f64| sorted.get(index as usize).copied().unwrap_or(least);
            value(low) + (value(high) - value(low)) * (place - low)
        };
        let median = at(0.5);
        let spread = (at(0.75) - at(0.25)) / median;
        median.is_finite().then_some(Self { median, least, spread, count: sorted.len() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles() {
        let sample = Sample::of(&[5.0, 1.0, 2.0, 4.0, 3.0]).expect("times");
        assert_eq!(sample, Sample { median: 3.0, least: 1.0, spread: 2.0 / 3.0, count: 5 });
        let even = Sample::of(&[1.0, 2.0]).expect("times");
        assert_eq!((even.median, even.spread), (1.5, 0.5 / 1.5));
        assert_eq!(Sample::of(&[2.0]).map(|one| (one.median, one.spread)), Some((2.0, 0.0)));
    }

    /// A launch that wasn't timed must not be the fastest of all.
    #[test]
    fn what_was_not_timed_is_no_sample() {
        for times in [&[][..], &[0.0, 1.0], &[-1.0], &[f64::NAN], &[f64::INFINITY]] {
            assert_eq!(Sample::of(times), None, "{times:?}");
        }
    }
}
