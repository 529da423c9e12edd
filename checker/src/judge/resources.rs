//! The gates for what the assembler allocates: how many warps are resident, whether all blocks are,
//! and how much local memory a thread needs.

use cudart_sim::occupancy::{BlockResources, Occupancy, SIMULATED};
use cudart_sim::resources::KernelResources;
use cudart_sim::runtime::LaunchRecord;

use crate::backend::Run;
use crate::spec::{Case, Metric, Spec};

/// The count for `metric` over the launches of a run; `None` for another metric, and where the
/// resources of a kernel that was launched are unknown.
pub fn measure(metric: Metric, spec: &Spec, case: &Case, run: &Run) -> Option<f64> {
    let count: fn(&Launched<'_>) -> f64 = match metric {
        Metric::ResidentWarps => resident_warps,
        Metric::Waves => waves,
        Metric::LocalBytes => local_bytes,
        _ => return None,
    };
    let launched = launched(spec, case, run)?;
    let counts = launched.iter().map(count);
    match metric {
        Metric::ResidentWarps => counts.reduce(f64::min),
        _ => counts.reduce(f64::max),
    }
}

/// A kernel and the blocks that it was launched with.
struct Launched<'a> {
    kernel: &'a KernelResources,
    blocks: u64,
    threads: u32,
    dynamic_shared: u32,
}

fn launched<'a>(spec: &Spec, case: &Case, run: &'a Run) -> Option<Vec<Launched<'a>>> {
    let find = |name: &str, [grid, block]: [[u32; 3]; 2], dynamic_shared| {
        let kernel = run.resources.iter().find(|kernel| kernel.name == name)?;
        let blocks = grid.iter().fold(1, |n: u64, side| n.saturating_mul((*side).into()));
        let threads = block.iter().fold(1, |n: u32, side| n.saturating_mul(*side));
        Some(Launched { kernel, blocks, threads, dynamic_shared })
    };
    match &run.program {
        None => Some(vec![find(spec.id, [case.grid, case.block], case.shared)?]),
        Some(program) => {
            let started = program.launches.iter().filter(|launch| launch.span.is_some());
            let find = |launch: &LaunchRecord| {
                find(&launch.symbol, [launch.grid, launch.block], launch.shared)
            };
            started.map(find).collect()
        }
    }
}

/// What is resident on a multiprocessor of the simulated device.
fn occupancy(launched: &Launched<'_>) -> Occupancy {
    SIMULATED.occupancy(BlockResources {
        threads: launched.threads,
        registers: Some(launched.kernel.registers),
        shared: launched.kernel.shared.saturating_add(launched.dynamic_shared),
    })
}

fn resident_warps(launched: &Launched<'_>) -> f64 {
    occupancy(launched).warps.into()
}

/// Infinite where no block fits.
fn waves(launched: &Launched<'_>) -> f64 {
    let held = u64::from(occupancy(launched).blocks) * u64::from(SIMULATED.multiprocessors);
    launched.blocks as f64 / held as f64
}

fn local_bytes(launched: &Launched<'_>) -> f64 {
    launched.kernel.local.into()
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
        // blocks of 256 threads, of which a multiprocessor holds four
        let blocks = f64::from(case.grid.iter().product::<u32>());
        assert_eq!(count(Metric::Waves, &kernels), Some(blocks / (4.0 * 132.0)));
        assert_eq!(count(Metric::LocalBytes, &kernels), Some(8.0));
        assert_eq!(count(Metric::LocalBytes, &kernels[..1]), None);
        assert_eq!(count(Metric::Barriers, &kernels), None);
    }
}
