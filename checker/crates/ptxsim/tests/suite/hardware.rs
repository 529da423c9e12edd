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

#[test]
fn show() {
    let record = std::fs::read_to_string("tests/records/counters-h200.tsv").expect("the record");
    let mut rows: BTreeMap<(&str, &str), BTreeMap<&str, u64>> = BTreeMap::new();
    for line in record.lines().filter(|l| !l.starts_with('#')).skip(1) {
        let mut f = line.split('\t');
        let (n, l, c) = (f.next().unwrap(), f.next().unwrap(), f.next().unwrap_or(""));
        rows.insert(
            (n, l),
            c.split(' ')
                .filter_map(|p| p.split_once('='))
                .map(|(k, v)| (k, v.parse().unwrap()))
                .collect(),
        );
    }
    let modules = modules();
    let mut wrong: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for launch in counters::launches() {
        let ran = counted(&modules, &launch);
        let mut cmp = |line: &str, c: &ptxsim::Counters| {
            let Some(row) = rows.get(&(launch.name.as_str(), line)) else { return };
            let g = |k: &str| row.get(k).copied().unwrap_or(0);
            let hw = if line == "-" { "hw_" } else { "" };
            let sh = |o: &str| g(&format!("{hw}shared_{o}_wavefronts"));
            let mut all = vec![
                ("ld", c.load_requests, g("global_ld")),
                ("ld_sectors", c.load_sectors, g("global_ld_sectors")),
                ("ld_ideal", c.load_sectors_ideal, g("global_ld_sectors_ideal")),
                ("st", c.store_requests, g("global_st")),
                ("st_sectors", c.store_sectors, g("global_st_sectors")),
                ("st_ideal", c.store_sectors_ideal, g("global_st_sectors_ideal")),
                ("shared", c.shared_requests, g("shared_ld") + g("shared_st")),
                ("wavefronts", c.shared_wavefronts, sh("ld") + sh("st")),
                (
                    "w_ideal",
                    c.shared_wavefronts_ideal,
                    g("shared_ld_wavefronts_ideal") + g("shared_st_wavefronts_ideal"),
                ),
                ("gatom", c.global_atomics, g("global_atom") + g("global_red")),
                (
                    "gatom sectors",
                    c.global_atomic_sectors,
                    g("global_atom_sectors") + g("global_red_sectors"),
                ),
                ("satom", c.shared_atomics, g("shared_atom")),
                ("satom wavefronts", c.shared_atomic_wavefronts, g("shared_atom_wavefronts")),
                ("local", c.local_requests, g("local_ld") + g("local_st")),
                ("local sectors", c.local_sectors, g("local_sectors")),
                ("branches", c.branches, g("branches")),
                ("divergent", c.divergent_branches, g("divergent")),
            ];
            if line == "-" {
                all.push((
                    "conflicts",
                    c.shared_conflicts(),
                    g("hw_shared_ld_conflicts") + g("hw_shared_st_conflicts"),
                ));
            }
            for (what, sim, hw) in all {
                if sim != hw {
                    wrong
                        .entry(format!("{what}{}", if line == "-" { "" } else { " line" }))
                        .or_default()
                        .push(format!("{}:{line} {sim} {hw}", launch.name));
                }
            }
        };
        cmp("-", &ran.seen.totals);
        for l in &ran.seen.lines {
            cmp(&l.source.line.to_string(), &l.counters);
        }
    }
    for (k, v) in wrong {
        println!("{k} {}", v.len());
        for l in v {
            println!("    {l}");
        }
    }
}
