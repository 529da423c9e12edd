//! `checker dev bound`: compares the least times of the course's kernels with measured ones.

use std::fs;
use std::path::Path;

use anyhow::{Context, bail};

use super::repository;
use crate::bound;
use crate::bound::record::{self, File, Kernels, Record};
use checker::cli::{Backend, DevBound};
use checker::engine::Engine;
use checker::error::Usage;
use checker::exit::Exit;
use checker::spec::{Spec, Start};
use checker::{say, session};

const TOML: &str = "checker/proof/records/bounds.toml";
const PAGE: &str = "checker/proof/records/bounds.md";

/// Prints the table, and writes it with the record if that's asked for.
pub fn run(args: &DevBound) -> anyhow::Result<Exit> {
    let root = repository()?;
    let target = args.what.as_deref().map(session::target).transpose()?;
    let chosen = |spec: &Spec| {
        target.as_ref().is_none_or(|target| target.specs().iter().any(|one| one.id == spec.id))
    };
    let known = Record::load().unwrap_or(Record { kernels: vec![] });
    if !args.record {
        let kernels = known.kernels.into_iter();
        let of = |kernels: &Kernels| {
            record::large_exercises().any(|spec| spec.id == kernels.exercise && chosen(spec))
        };
        say!("{}", record::table(&Record { kernels: kernels.filter(of).collect() })?.trim_end());
        return Ok(Exit::Passed);
    }
    let mut engine = session::engine(Backend::Sim)?;
    let mut all = Record { kernels: vec![] };
    let mut any = false;
    for spec in record::large_exercises() {
        for (file, text) in record::files(spec) {
            if chosen(spec) {
                any = true;
                all.kernels.extend(count(spec, file, text, &mut engine)?);
            } else {
                all.kernels.extend(known.find(spec, file).cloned());
            }
        }
    }
    if !any {
        return Err(Usage("none of these exercises has a large case to time".into()).into());
    }
    let table = record::table(&all)?;
    write(&root.join(TOML), &toml::to_string(&all)?)?;
    let page = fs::read_to_string(root.join(PAGE)).context(PAGE)?;
    let text = page.split("\nH100: ").next().unwrap_or_default();
    write(&root.join(PAGE), &format!("{text}\n{table}"))?;
    say!("{}", table.trim_end());
    Ok(Exit::Passed)
}

/// The work of a file's kernels; `None` for an original that isn't right.
fn count(
    spec: &'static Spec,
    file: File,
    text: &str,
    engine: &mut Engine,
) -> anyhow::Result<Option<Kernels>> {
    match bound::work(spec, text, engine).with_context(|| format!("{}, {file:?}", spec.id))? {
        Ok(work) => Ok(Some(Kernels::new(spec, file, text, &work))),
        Err(_) if file == File::Original && spec.start != Start::Optimise => Ok(None),
        Err(verdict) => bail!("{}, {file:?}: {}", spec.id, verdict.slug()),
    }
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
