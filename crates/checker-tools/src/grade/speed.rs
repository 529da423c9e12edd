//! How fast a right file is, for policies that give points for speed.
//!
//! On a GPU, the file's kernels and the solution's are timed one after the other, with inputs that
//! depend on the file, while nothing else runs on the card (`runner`, `worker/card_lock.rs`), and
//! again where the times vary too much. Without a GPU, the least times that the simulator's counts
//! allow are compared ([`crate::bound`]).

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, anyhow};
use grading::record::{Item, Kind, Outcome, Show, Speed};
use grading::seed::sha256;

use crate::bound::{self, Bound, CARDS};
use crate::timing::{self, Limits, Sample, Times};
use checker::engine::Engine;
use checker::spec::Spec;
use checker::verdict::Verdict;
use checker::{course, gains, source};

/// Times whose quartiles are further apart than this share of the median are measured again.
const SPREAD: f64 = 0.05;
/// How often both files are timed at most.
const MEASUREMENTS: usize = 3;
/// An exercise is about faster kernels if the solution's are so many times as fast as the original
/// ones.
const FASTER: f64 = 1.3;

/// Whether the speed of an exercise's kernels can give points: it has a large case, and its
/// solution makes the kernels faster.
pub fn can_give_points(spec: &Spec) -> bool {
    let Ok(record) = gains::recorded() else { return false };
    let gain = record.exercises.iter().find(|gain| gain.id == spec.id);
    spec.large.is_some()
        && gain.is_some_and(|gain| gain.kernels.factor().is_none_or(|factor| factor >= FASTER))
}

/// Memory in bytes of a process that runs a file with its large case.
pub const MEMORY: u64 = 4 << 30;

/// The speeds of a class's files. Equal files are measured once, and one file at a time.
pub struct Speeds(Mutex<Timer>);

struct Timer {
    /// It allows a process [`MEMORY`].
    engine: Engine,
    /// By exercise and SHA-256 of the file.
    known: HashMap<(&'static str, String), Item>,
    /// Bytes that a copy moves in a second on the GPU.
    copy: Option<f64>,
}

impl fmt::Debug for Speeds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Speeds").finish_non_exhaustive()
    }
}

impl Speeds {
    /// Speeds that this engine measures. It has to allow a process [`MEMORY`].
    pub fn new(engine: Engine) -> Self {
        Self(Mutex::new(Timer { engine, known: HashMap::new(), copy: None }))
    }

    /// The item about the speed of a file whose cases are right. It says why if the speed couldn't
    /// be measured. The inputs depend on the file, so it can't contain its own results, and they
    /// are the same whenever it is graded. They don't depend on the secret, because students see
    /// their speed.
    pub fn item(&self, spec: &'static Spec, bytes: &[u8]) -> Item {
        let mut timer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (spec.id, sha256(bytes));
        if let Some(item) = timer.known.get(&key) {
            return item.clone();
        }
        // the processes of one student never run another one's code
        timer.engine.recycle();
        let item = described(timer.measure(spec, bytes));
        timer.known.insert(key, item.clone());
        item
    }
}

/// The seed of a file's inputs.
fn seed(spec: &Spec, bytes: &[u8]) -> u64 {
    let hash = sha256(format!("{} {}", spec.id, sha256(bytes)).as_bytes());
    let first = hash.get(..16).unwrap_or_default();
    u64::from_str_radix(first, 16).unwrap_or_default()
}

impl Timer {
    /// The inner error is what is wrong with the file on the large case.
    fn measure(
        &mut self,
        spec: &'static Spec,
        bytes: &[u8],
    ) -> anyhow::Result<Result<Speed, Verdict>> {
        let large = spec.with_large_case().context("it has no large case")?;
        let text = source::text(bytes.to_vec()).map_err(|_| anyhow!("it isn't text"))?;
        let on_gpu = match spec.kind.has_host_code() {
            true => self.engine.programs_use_gpu()?,
            false => self.engine.uses_gpu()?,
        };
        let seed = seed(spec, bytes);
        if on_gpu && spec.kind.has_host_code() {
            // only the kernels are timed, so they have to do the work
            if let Err(verdict) = bound::comparable_work(large, &text, seed, &mut self.engine)? {
                return Ok(Err(verdict));
            }
        }
        match on_gpu {
            true => self.time(large, &text, seed),
            false => least(large, &text, seed, &mut self.engine),
        }
    }

    fn time(
        &mut self,
        large: &'static Spec,
        text: &str,
        seed: u64,
    ) -> anyhow::Result<Result<Speed, Verdict>> {
        let Self { engine, copy, .. } = self;
        let solution = course::solution(large).context("the exercise has no solution")?;
        let mut steadiest: Option<(f64, Sample, Sample)> = None;
        for _ in 0..MEASUREMENTS {
            let mut kernels = |text| timing::time_kernels(large, text, seed, engine);
            let yours = match kernels(text)? {
                Ok(Times { warm, .. }) => warm,
                Err(verdict) => return Ok(Err(verdict)),
            };
            let solution = kernels(solution)?
                .map_err(|verdict| anyhow!("the solution is wrong here: {}", verdict.slug()))?;
            let spread = yours.spread.max(solution.warm.spread);
            if steadiest.is_none_or(|(least, ..)| spread < least) {
                steadiest = Some((spread, yours, solution.warm));
            }
            if spread <= SPREAD {
                break;
            }
        }
        let (_, yours, solution) = steadiest.context("nothing was timed")?;
        let seconds = yours.median * 1e-3;
        let copy = match copy {
            Some(copy) => *copy,
            None => *copy.insert(Limits::copy(engine)?),
        };
        Ok(Ok(Speed {
            seconds,
            measured: true,
            gpu: engine.gpu()?.name,
            of_solution: solution.median / yours.median,
            of_copy: timing::bytes(large, seed)? as f64 / copy / seconds,
        }))
    }
}

/// The speed by the least times on an H100, with new inputs for both files.
fn least(
    large: &'static Spec,
    text: &str,
    seed: u64,
    engine: &mut Engine,
) -> anyhow::Result<Result<Speed, Verdict>> {
    let [card, _] = &CARDS;
    let solution = course::solution(large).context("the exercise has no solution")?;
    let yours = match bound::comparable_work(large, text, seed, engine)? {
        Ok(work) => work,
        Err(verdict) => return Ok(Err(verdict)),
    };
    let solution = bound::comparable_work(large, solution, seed, engine)?
        .map_err(|verdict| anyhow!("the solution is wrong here: {}", verdict.slug()))?;
    // no file can do without the exercise's data
    let copy = card.least_copy(timing::bytes(large, seed)? as f64);
    let seconds = |work: &[_]| Bound::of(work, card).seconds.max(copy);
    Ok(Ok(Speed {
        seconds: seconds(&yours),
        measured: false,
        gpu: card.name.to_owned(),
        of_solution: seconds(&solution) / seconds(&yours),
        of_copy: copy / seconds(&yours),
    }))
}

/// The item that says how fast a file is.
fn described(measured: anyhow::Result<Result<Speed, Verdict>>) -> Item {
    let (outcome, slug, message, speed) = match measured {
        Ok(Ok(speed)) => {
            let percent = |share: f64| format!("{:.0} %", 100.0 * share);
            let how = match speed.measured {
                true => format!("{:.3} ms on an {}", speed.seconds * 1e3, speed.gpu),
                false => format!("at least {:.3} ms on an {}", speed.seconds * 1e3, speed.gpu),
            };
            let message = format!(
                "{how}: {} of the solution's speed, {} of a copy's",
                percent(speed.of_solution),
                percent(speed.of_copy)
            );
            (Outcome::Held, "passed".to_owned(), message, Some(speed))
        }
        Ok(Err(verdict)) => {
            let slug = verdict.slug().to_string();
            let message = format!("not right with the large case: {slug}");
            (Outcome::Failed, slug, message, None)
        }
        Err(error) => {
            (Outcome::NotRun, "not-run".to_owned(), format!("not timed: {error:#}"), None)
        }
    };
    Item {
        name: "speed with the large case".to_owned(),
        kind: Kind::Speed,
        hidden: false,
        show: Show::Everything,
        reveal: None,
        outcome,
        given: false,
        points: 0.0,
        possible: 0.0,
        extra: 0.0,
        slug,
        message,
        line: None,
        again: None,
        millis: 0,
        speed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use checker::exercises;

    /// A file that is changed by one byte gets other inputs, and so does another exercise.
    #[test]
    fn the_inputs_depend_on_the_file() {
        let [first, second] =
            ["tile_transpose", "transpose_bytes"].map(|name| exercises::find(name).unwrap());
        assert_eq!(seed(first, b"text"), seed(first, b"text"));
        assert_ne!(seed(first, b"text"), seed(first, b"texu"));
        assert_ne!(seed(first, b"text"), seed(second, b"text"));
    }

    /// Points for speed are for exercises whose solutions are faster, and not for those about
    /// copies or about being right.
    #[test]
    fn exercises_about_faster_kernels_can_give_points() {
        let can = |name| can_give_points(exercises::find(name).expect("an exercise"));
        assert!(can("tile_transpose") && can("reduce_bandwidth") && can("matmul_registers"));
        assert!(!can("guard") && !can("in_out_inout") && !can("overlap"));
    }

    /// A student reads the time, the device and both shares.
    #[test]
    fn the_item_says_how_fast_a_file_is() {
        let speed = |measured| Speed {
            seconds: 0.000_102_4,
            measured,
            gpu: "NVIDIA H200".into(),
            of_solution: 0.834,
            of_copy: 0.5,
        };
        let item = described(Ok(Ok(speed(true))));
        assert_eq!(
            item.message,
            "0.102 ms on an NVIDIA H200: 83 % of the solution's speed, 50 % of a copy's"
        );
        assert!(described(Ok(Ok(speed(false)))).message.starts_with("at least 0.102 ms"));
        let failed = described(Err(anyhow!("the card is gone")));
        assert_eq!(
            (failed.outcome, failed.message.as_str()),
            (Outcome::NotRun, "not timed: the card is gone")
        );
    }
}
