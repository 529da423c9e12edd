//! `hardware instructions`: runs every case of the instruction tables on the GPU and compares the
//! expected results.

use std::fs;
use std::process::ExitCode;

use ptx_cases::instructions::{self, Case, digest};

use crate::{Instructions, launched};
use checker::backend::Backend;
use checker::backend::gpu::Gpu;

/// Runs all groups and prints the record. Cases with unexpected results are listed on stderr and
/// make this fail.
pub fn run(args: &Instructions) -> anyhow::Result<ExitCode> {
    let mut gpu = Gpu::open()?;
    let info = gpu.info().clone();
    println!(
        "# GPU: {} (compute capability {}.{})",
        info.name, info.capability.0, info.capability.1
    );
    println!("# CUDA: {}.{}", info.driver.0, info.driver.1);
    println!("#");
    println!("# digest: of all results (FNV-1a)");
    println!("# error: the greatest, in units in the last place, where results approximate");
    println!("group\tcase\ttarget\tdigest\terror\tinstruction");
    let (mut all, mut disagree, mut bytes) = (0, 0, Vec::new());
    let unknown = |name: &&String| instructions::GROUPS.iter().all(|(group, _)| group != name);
    if let Some(name) = args.groups.iter().find(unknown) {
        anyhow::bail!("there is no group `{name}`");
    }
    let chosen = |group: &str| args.groups.is_empty() || args.groups.iter().any(|g| g == group);
    for (group, _) in instructions::GROUPS.iter().filter(|(group, _)| chosen(group)) {
        let cases = instructions::cases(group);
        // one module for the group; if the driver refuses it, one for each case, to find out which
        // case is refused
        gpu.load(instructions::module(&cases));
        let together = cases.first().is_none_or(|c| results(&mut gpu, c, "k0").is_ok());
        for (n, case) in cases.iter().enumerate() {
            let name = if together { format!("k{n}") } else { "k0".to_owned() };
            if !together {
                gpu.load(instructions::module(std::slice::from_ref(case)));
            }
            let instruction = case.instruction.replace('\n', " ");
            all += 1;
            match results(&mut gpu, case, &name) {
                Ok(results) => {
                    bytes.extend(results.iter().flat_map(|r| r.to_le_bytes()));
                    if let (Some(i), wrong) = case.wrong(&results) {
                        disagree += 1;
                        let [a, b, c] = [0, 1, 2].map(|n: usize| case.inputs[n][i]);
                        let (got, expected) = (results[i], case.expected[i]);
                        eprintln!(
                            "{group} {n}: {instruction} of {a:#x} {b:#x} {c:#x} is {got:#x}, not {expected:#x}; \
                             {wrong} elements are wrong"
                        );
                    }
                    let error = case.ulps(&results).map(|e| format!("{e:.3}")).unwrap_or_default();
                    let digest = digest(&results);
                    println!(
                        "{group}\t{n}\t{}\t{digest:016x}\t{error}\t{instruction}",
                        case.target
                    );
                }
                Err(error) => {
                    disagree += 1;
                    eprintln!("{group} {n}: {instruction}: {error}");
                }
            }
        }
    }
    if let Some(path) = &args.results {
        fs::write(path, bytes)?;
    }
    eprintln!("{all} cases on {}, {disagree} of them with other results than expected", info.name);
    Ok(if disagree == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The GPU's results of a case.
fn results(gpu: &mut Gpu, case: &Case, name: &str) -> anyhow::Result<Vec<u64>> {
    let run = launched(gpu, &case.launch(name))?;
    let Some(output) = run.outputs.last() else { anyhow::bail!("no output") };
    let words = output.data.chunks_exact(8);
    Ok(words.map(|word| u64::from_le_bytes(word.try_into().unwrap_or_default())).collect())
}
