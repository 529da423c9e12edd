//! The least time that a kernel can take on a GPU, from what the simulator counts.
//!
//! Large cases take too long on a simulator, so it runs a part of them (`parts.rs`), counts what
//! each launch does (`work.rs`), and divides it by what a card can do in a second (`limits.rs`).
//! The limit that takes longest is the bound of a launch. `records/bounds.toml` has the work of the
//! course's kernels, and tests compare the bounds with the times measured on an H100 and an H200
//! (`record.rs`).

mod limits;
mod parts;
pub mod record;
mod work;

use anyhow::{Context, bail, ensure};

use checker::attempt::{CompiledCode, PreparedCase, Purpose, SEED};
use checker::backend::Choice;
use checker::diagnostic::Slug;
use checker::engine::{Engine, LAUNCH_TIME_LIMIT};
use checker::spec::{Role, Spec};
use checker::verdict::Verdict;

use crate::timing;
use parts::Part;

pub use limits::{Alone, Bound, CARDS, Card, Limit};
pub use work::Work;

/// What the launches of `source` do on the large case of `spec`, the only case of `spec`
/// ([`Spec::with_large_case`]). The inner error is what is wrong with the source.
///
/// # Errors
/// When the code could not be run or takes too long, when the number of its launches depends on the
/// sizes, and when its kernels don't write the results.
pub fn work(
    spec: &'static Spec,
    source: &str,
    engine: &mut Engine,
) -> anyhow::Result<Result<Vec<Work>, Verdict>> {
    let [part, half] = parts::of(spec)?;
    let seen = match count(part, source, SEED, engine)? {
        Ok(seen) => seen,
        Err(verdict) => return Ok(Err(verdict)),
    };
    let less = match count(half, source, SEED, engine)? {
        Ok(seen) => seen,
        Err(verdict) => return Ok(Err(verdict)),
    };
    ensure!(
        seen.len() == less.len(),
        "the number of launches depends on the size, so their work is unknown for large sizes"
    );
    let times = f64::from(part.times);
    Ok(Ok(seen.iter().zip(&less).map(|(part, half)| Work::whole(part, half, times)).collect()))
}

/// The same, by a single part with inputs of this seed, as if everything in it grew with the size.
/// So a file can't look better than it is by other work in another part, and two files of an
/// exercise can be compared.
///
/// # Errors
/// As [`work`].
pub fn comparable_work(
    spec: &'static Spec,
    source: &str,
    seed: u64,
    engine: &mut Engine,
) -> anyhow::Result<Result<Vec<Work>, Verdict>> {
    let [part, _] = parts::of(spec)?;
    let times = f64::from(part.times);
    let seen = count(part, source, seed, engine)?;
    Ok(seen.map(|seen| seen.iter().map(|part| part.times(times)).collect()))
}

/// What each launch of a part does.
fn count(
    part: Part,
    source: &str,
    seed: u64,
    engine: &mut Engine,
) -> anyhow::Result<Result<Vec<Work>, Verdict>> {
    let Part { spec, times } = part;
    let case = spec.cases.first().context("a part has no case")?;
    let purpose = Purpose::Counting;
    let mut code = match CompiledCode::compile(spec, spec.cases, source, purpose, engine)? {
        Ok(code) => code,
        Err(verdict) => return Ok(Err(verdict)),
    };
    let prepared = PreparedCase::new(spec, (0, case), seed).part_of(times);
    let run = code.run(Choice::Sim, spec, &prepared, engine)?;
    if let Some(verdict) = timing::wrong(spec, &prepared, &run) {
        ensure!(
            verdict.slug() != Slug::NeverFinishes,
            "the simulator needs more than {} s for a part of the large case, so the file never \
             finishes there, prints too much, or is much slower than the course's files",
            LAUNCH_TIME_LIMIT.as_secs()
        );
        return Ok(Err(verdict));
    }
    let resources = |symbol: &str| run.resources.iter().find(|kernel| kernel.name == symbol);
    let work: Vec<Work> = match (&run.program, &run.observations) {
        (Some(program), _) => program
            .launches
            .iter()
            .map(|launch| Work::of(&launch.observations, launch.block, resources(&launch.symbol)))
            .collect(),
        (None, Some(seen)) => vec![Work::of(seen, case.block, resources(spec.id))],
        (None, None) => bail!("the simulator has counted nothing"),
    };
    if spec.kind.has_host_code() {
        let results = result_bytes(spec, &prepared);
        let written: f64 = work.iter().map(|work| 32.0 * work.written_sectors).sum();
        ensure!(
            written >= WRITTEN * results,
            "kernels write only {written} bytes, and the results have {results}, so counts of the \
             kernels would say little about the program"
        );
    }
    Ok(Ok(work))
}

/// The share of the results that a program's kernels must write at least.
const WRITTEN: f64 = 0.5;

/// Bytes of the arrays that a program returns.
fn result_bytes(spec: &Spec, prepared: &PreparedCase) -> f64 {
    let results = spec.params.iter().zip(&prepared.inputs).filter(|(p, _)| p.role != Role::In);
    results.map(|(_, value)| value.array_bytes() as f64).sum()
}
