//! prototype
pub mod parts;
pub mod work;

use anyhow::{Context, bail, ensure};
use checker::attempt::{CompiledCode, PreparedCase, Purpose, SEED};
use checker::backend::Choice;
use checker::engine::Engine;
use checker::spec::Spec;
use parts::Part;
use work::Work;

/// Prints.
pub fn probe(large: &'static Spec, source: &str, engine: &mut Engine) -> anyhow::Result<Vec<Work>> {
    let [part, half] = parts::of(large)?;
    let (first, second) = (run(part, source, engine)?, run(half, source, engine)?);
    ensure!(first.len() == second.len(), "the number of launches depends on the size");
    let times = f64::from(part.times);
    Ok(first.iter().zip(&second).map(|(part, half)| Work::whole(part, half, times)).collect())
}

fn run(part: Part, source: &str, engine: &mut Engine) -> anyhow::Result<Vec<Work>> {
    let Part { spec, times } = part;
    let case = spec.cases.first().context("a case")?;
    let purpose = if spec.kind.has_host_code() { Purpose::Verdict { on_gpu: false } } else { Purpose::Timing };
    let mut code = match CompiledCode::compile(spec, spec.cases, source, purpose, engine)? {
        Ok(code) => code,
        Err(verdict) => bail!("{}", verdict.slug()),
    };
    let prepared = PreparedCase { part_of: Some(times), ..PreparedCase::new(spec, (0, case), SEED) };
    let run = code.run(Choice::Sim, spec, &prepared, engine)?;
    if !run.faults.is_empty() {
        bail!("{:?}", run.faults);
    }
    let of = |symbol: &str| run.resources.iter().find(|kernel| kernel.name == symbol);
    Ok(match &run.program {
        Some(program) => program.launches.iter().map(|l| Work::of(&l.observations, l.block, of(&l.symbol))).collect(),
        None => vec![Work::of(run.observations.as_ref().context("no counts")?, case.block, of(spec.id))],
    })
}
