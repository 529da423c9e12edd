//! The simulator's counters against those that Nsight Compute collected on a GPU from the same PTX.

use crate::common::{Kernel, Ran, module};
use ptx_cases::{Launch, counters};
use ptxsim::{Diagnose, Module, Options};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Every file's module, by the file's name.
fn modules() -> BTreeMap<&'static str, Arc<Module>> {
    counters::FILES.iter().map(|(file, ptx)| (*file, module(ptx))).collect()
}

fn counted(modules: &BTreeMap<&str, Arc<Module>>, launch: &Launch) -> Ran {
    let ran = Kernel::of(&modules[launch.file], launch)
        .run(&Options { diagnose: Diagnose::Count, ..Options::default() });
    assert_eq!(ran.seen.findings, [], "{}", launch.name);
    assert!(ran.seen.completed, "{}", launch.name);
    ran
}

#[test]
fn every_launch_runs() {
    let (launches, modules) = (counters::launches(), modules());
    let names: BTreeSet<&str> = launches.iter().map(|l| l.name.as_str()).collect();
    assert_eq!(names.len(), launches.len(), "names are unique");
    for launch in &launches {
        counted(&modules, launch);
    }
}
