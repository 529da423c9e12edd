//! The gates for what the assembler allocates: how many warps are resident, and how
//! much local memory a thread needs.

use cudart_sim::occupancy::{BlockResources, SIMULATED};
use cudart_sim::resources::KernelResources;

use crate::backend::Run;
use crate::spec::{Case, Metric, Spec};

/// The count for `metric` over the launches of a run; `None` for another metric, and where the
/// resources of a kernel that was launched are unknown.
pub fn measure(metric: Metric, spec: &Spec, case: &Case, run: &Run) -> Option<f64> {
    let count: fn(&Launched<'_>) -> u32 = match metric {
        Metric::ResidentWarps => resident_warps,
        Metric::LocalBytes => local_bytes,
        _ => return None,
    };
    let launched = launched(spec, case, run)?;
    let counts = launched.iter().map(count);
    let decisive = match metric {
        Metric::ResidentWarps => counts.min(),
        _ => counts.max(),
    };
    decisive.map(f64::from)
}

/// A kernel and the blocks that it was launched with.
struct Launched<'a> {
    kernel: &'a KernelResources,
    threads: u32,
    dynamic_shared: u32,
}

fn launched<'a>(spec: &Spec, case: &Case, run: &'a Run) -> Option<Vec<Launched<'a>>> {
    let find = |name: &str, block: [u32; 3], dynamic_shared| {
        let kernel = run.resources.iter().find(|kernel| kernel.name == name)?;
        let threads = block.iter().fold(1, |n: u32, side| n.saturating_mul(*side));
        Some(Launched { kernel, threads, dynamic_shared })
    };
    match &run.program {
        None => Some(vec![find(spec.id, case.block, case.shared)?]),
        Some(program) => {
            let started = program.launches.iter().filter(|launch| launch.span.is_some());
            started.map(|launch| find(&launch.symbol, launch.block, launch.shared)).collect()
        }
    }
}

/// Resident warps of a multiprocessor of the simulated device.
fn resident_warps(launched: &Launched<'_>) -> u32 {
    let block = BlockResources {
        threads: launched.threads,
        registers: Some(launched.kernel.registers),
        shared: launched.kernel.shared.saturating_add(launched.dynamic_shared),
    };
    SIMULATED.occupancy(block).warps
}

const fn local_bytes(launched: &Launched<'_>) -> u32 {
    launched.kernel.local
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exercises;

    fn run(kernels: &[(&str, u32, u32)]) -> Run {
        let of = |(name, registers, local): &(&str, u32, u32)| KernelResources {
            name: (*name).to_owned(),
            registers: *registers,
            local: *local,
            ..KernelResources::default()
        };
        Run { resources: kernels.iter().map(of).collect(), ..Run::new("simulator".into()) }
    }

    /// A kernel's own resources decide, and a kernel whose resources are unknown has no count, so
    /// that it doesn't pass.
    #[test]
    fn a_kernel_is_found_by_its_name() {
        let spec = exercises::find("register_budget").expect("an exercise");
        let case = spec.cases.iter().find(|case| case.gated).expect("a gated case");
        let count = |metric, kernels: &[_]| measure(metric, spec, case, &run(kernels));
        let kernels = [("other", 255, 999), ("register_budget", 64, 8)];
        assert_eq!(count(Metric::ResidentWarps, &kernels), Some(32.0));
        assert_eq!(count(Metric::LocalBytes, &kernels), Some(8.0));
        assert_eq!(count(Metric::LocalBytes, &kernels[..1]), None);
        assert_eq!(count(Metric::Barriers, &kernels), None);
    }
}
