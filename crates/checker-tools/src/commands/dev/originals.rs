//! `checker dev bless`: copies `exercises/` to `checker/proof/originals/`, which the binary embeds.
//!
//! Learners may work in a clone and edit `exercises/`. A rebuild must not embed their work as the
//! original, and their edits must not cause rebuilds. Therefore the originals have a folder of
//! their own, and only this command writes to it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::repository;
use checker::exercises;
use checker::exit::Exit;
use checker::say;
use checker::spec::Spec;

/// Copies one exercise or all exercises to the originals.
pub fn run(name: Option<&str>) -> anyhow::Result<Exit> {
    let root = repository()?;
    let specs = match name {
        Some(name) => vec![exercises::find(name)?],
        None => exercises::all().to_vec(),
    };
    let mut changed = 0;
    for spec in specs {
        let from = root.join("exercises").join(file(spec));
        let to = original(&root, spec);
        let contents =
            fs::read(&from).with_context(|| format!("cannot read {}", from.display()))?;
        if fs::read(&to).is_ok_and(|there| there == contents) {
            continue;
        }
        let write = || -> std::io::Result<()> {
            fs::create_dir_all(to.parent().unwrap_or(&root))?;
            fs::write(&to, &contents)
        };
        write().with_context(|| format!("cannot write {}", to.display()))?;
        say!("{}", to.strip_prefix(&root).unwrap_or(&to).display());
        changed += 1;
    }
    say!("{changed} originals changed");
    Ok(Exit::Passed)
}

/// Path of the original of an exercise.
pub fn original(root: &Path, spec: &Spec) -> PathBuf {
    root.join("checker/proof/originals").join(file(spec))
}

/// `ch01_threads/double_it.cu`
pub fn file(spec: &Spec) -> PathBuf {
    Path::new(spec.chapter).join(format!("{}.cu", spec.id))
}
