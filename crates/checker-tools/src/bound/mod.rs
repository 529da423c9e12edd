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
use checker::spec::Spec;
use checker::verdict::Verdict;

use crate::timing;
use parts::Part;

pub use limits::{Alone, Bound, CARDS, Card, Limit};
pub use work::Work;

/// What the launches of `source` do on the large case of `spec`, the only case of `spec`
/// ([`Spec::with_large_case`]). The inner error is what is wrong with the source.
///
/// # Errors
/// When the code could not be run, or when the number of its launches depends on the sizes.
pub fn work(
    spec: &'static Spec,
    source: &str,
    engine: &mut Engine,
) -> anyhow::Result<Result<Vec<Work>, Verdict>> {
    let [part, half] = parts::of(spec)?;
    let seen = match count(part, source, engine)? {
        Ok(seen) => seen,
        Err(verdict) => return Ok(Err(verdict)),
    };
    let less = match count(half, source, engine)? {
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

/// What each launch of a part does.
fn count(
    part: Part,
    source: &str,
    engine: &mut Engine,
) -> anyhow::Result<Result<Vec<Work>, Verdict>> {
    let Part { spec, times } = part;
    let case = spec.cases.first().context("a part has no case")?;
    let purpose = Purpose::Counting;
    let mut code = match CompiledCode::compile(spec, spec.cases, source, purpose, engine)? {
        Ok(code) => code,
        Err(verdict) => return Ok(Err(verdict)),
    };
    let prepared = PreparedCase::new(spec, (0, case), SEED).part_of(times);
    let run = code.run(Choice::Sim, spec, &prepared, engine)?;
    if let Some(verdict) = timing::wrong(spec, &prepared, &run) {
        ensure!(
            verdict.slug() != Slug::NeverFinishes,
            "the simulator needs more than {} s to count the work, so the file is much slower than the course's files",
            LAUNCH_TIME_LIMIT.as_secs()
        );
        return Ok(Err(verdict));
    }
    let resources = |symbol: &str| run.resources.iter().find(|kernel| kernel.name == symbol);
    let work = match (&run.program, &run.observations) {
        (Some(program), _) => program
            .launches
            .iter()
            .map(|launch| Work::of(&launch.observations, launch.block, resources(&launch.symbol)))
            .collect(),
        (None, Some(seen)) => vec![Work::of(seen, case.block, resources(spec.id))],
        (None, None) => bail!("the simulator has counted nothing"),
    };
    Ok(Ok(work))
}
