//! How many blocks of the launches of a run are resident on a multiprocessor of a card.

use cudart_sim::occupancy::{BlockResources, Card, Occupancy};
use cudart_sim::resources::KernelResources;
use cudart_sim::runtime::LaunchRecord;

use crate::attempt::Resources;
use crate::spec::{Case, Spec};

/// The kernels of a run on a card.
#[derive(Debug, Clone, PartialEq)]
pub struct Residency {
    /// The card.
    pub card: &'static Card,
    /// Each kernel with each size of its blocks, in the order of the first launches; or a sentence
    /// that says why their registers are unknown.
    pub kernels: Result<Vec<KernelResidency>, String>,
}

/// A kernel with one size of its blocks.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelResidency {
    /// The kernel's name, without its parameters.
    pub kernel: String,
    /// Blocks of the first such launch.
    pub grid: [u32; 3],
    /// Threads per block.
    pub block: [u32; 3],
    /// Dynamic shared memory of a block in bytes.
    pub dynamic_shared: u32,
    /// What the assembler has allocated.
    pub resources: KernelResources,
    /// The resident blocks, and what limits them.
    pub occupancy: Occupancy,
}

/// The shape of a launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    kernel: String,
    /// The kernel's name in the compiled code.
    symbol: String,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
}

impl Shape {
    /// The only launch of a kernel's case.
    pub fn of_case(spec: &Spec, case: &Case) -> Self {
        Self {
            kernel: spec.id.to_owned(),
            symbol: spec.id.to_owned(),
            grid: case.grid,
            block: case.block,
            shared: case.shared,
        }
    }

    /// A launch of a program.
    pub fn of_launch(launch: &LaunchRecord) -> Self {
        Self {
            kernel: launch.kernel.clone(),
            symbol: launch.symbol.clone(),
            grid: launch.grid,
            block: launch.block,
            shared: launch.shared,
        }
    }
}

impl Residency {
    /// The residency of these launches.
    pub fn new(card: &'static Card, resources: Resources, launches: &[Shape]) -> Self {
        let kernels = resources.map(|resources| {
            let mut kernels: Vec<KernelResidency> = vec![];
            for launch in launches {
                let known = |kernel: &KernelResidency| {
                    (&kernel.resources.name, kernel.block, kernel.dynamic_shared)
                        == (&launch.symbol, launch.block, launch.shared)
                };
                if !kernels.iter().any(known) {
                    let of_launch =
                        resources.iter().find(|resources| resources.name == launch.symbol);
                    kernels
                        .extend(of_launch.map(|found| KernelResidency::new(card, found, launch)));
                }
            }
            kernels
        });
        Self { card, kernels }
    }

    /// The residency of the launches of a program.
    pub fn of_program(
        card: &'static Card,
        resources: Resources,
        launches: &[&LaunchRecord],
    ) -> Self {
        let shapes: Vec<Shape> = launches.iter().map(|launch| Shape::of_launch(launch)).collect();
        Self::new(card, resources, &shapes)
    }
}

impl KernelResidency {
    fn new(card: &Card, resources: &KernelResources, launch: &Shape) -> Self {
        let threads = launch.block.iter().fold(1, |n: u32, side| n.saturating_mul(*side));
        let block = BlockResources {
            threads,
            registers: Some(resources.registers),
            shared: resources.shared.saturating_add(launch.shared),
        };
        Self {
            kernel: launch.kernel.clone(),
            grid: launch.grid,
            block: launch.block,
            dynamic_shared: launch.shared,
            resources: resources.clone(),
            occupancy: card.occupancy(block),
        }
    }

    /// How often the blocks of the grid fill all multiprocessors of the card; `None` for blocks
    /// that are never resident.
    pub fn waves(&self, card: &Card) -> Option<f64> {
        let blocks: f64 = self.grid.iter().map(|side| f64::from(*side)).product();
        let at_once = f64::from(self.occupancy.blocks) * f64::from(card.multiprocessors);
        (at_once > 0.0).then(|| blocks / at_once)
    }
}

#[cfg(test)]
mod tests {
    use cudart_sim::occupancy::SIMULATED;

    use super::*;

    fn shape(symbol: &str, block: u32) -> Shape {
        let (grid, block) = ([264, 1, 1], [block, 1, 1]);
        Shape { kernel: symbol.into(), symbol: symbol.into(), grid, block, shared: 0 }
    }

    /// Launches of one shape are one row, and a kernel without known resources has none.
    #[test]
    fn each_shape_is_described_once() {
        let resources = KernelResources { name: "a".into(), registers: 64, ..Default::default() };
        let launches = [shape("a", 512), shape("a", 512), shape("b", 32), shape("a", 1024)];
        let residency = Residency::new(&SIMULATED, Ok(vec![resources]), &launches);
        let kernels = residency.kernels.expect("known");
        let seen: Vec<_> = kernels.iter().map(|k| (k.block[0], k.occupancy.blocks)).collect();
        assert_eq!(seen, [(512, 2), (1024, 1)]);
        assert_eq!(kernels[0].waves(&SIMULATED), Some(1.0));
    }
}
