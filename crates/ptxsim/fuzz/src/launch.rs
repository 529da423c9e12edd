//! Launches a module's kernels with few threads, small buffers, and a small budget.

use ptxsim::{Diagnose, Launch, Memory, Module, Options, ParamType, run};

/// A number that decides on the geometry of the launch; a hash of the text, so that a text is
/// always launched alike.
pub fn shape(data: &[u8]) -> u32 {
    data.iter().fold(7_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(*byte))) >> 8
}

/// Launches the first kernels of a module. Errors are acceptable results.
pub fn all(module: &Module, shape: u32) {
    for entry in module.entries().iter().take(3) {
        for diagnose in [Diagnose::Full, Diagnose::Bounds] {
            let mut memory = Memory::new();
            let mut args = vec![];
            for (n, param) in entry.params.iter().take(16).enumerate() {
                let mut arg = match param.ty {
                    ParamType::U64 if n as u32 == shape % 7 => vec![0; 8],
                    ParamType::U64 => {
                        let contents = [n as u8 + 1; 1024];
                        let contents = (n % 2 == 0).then_some(&contents[..]);
                        let Ok(address) = memory.alloc("buffer", 1024, 4, contents) else { return };
                        address.to_le_bytes().to_vec()
                    }
                    _ => u64::from(shape % 67).to_le_bytes().to_vec(),
                };
                // a kernel with too many parameters is refused, whatever its arguments
                arg.resize(param.bytes.min(1 << 16) as usize, 0);
                args.push(arg);
            }
            let launch = Launch {
                entry: entry.name.clone(),
                grid: [1 + shape / 7 % 2, 1 + 4 * u32::from(shape / 1344 % 8 == 0), 1],
                block: [[40, 1, 1], [7, 5, 2], [1, 1, 1], [32, 1, 1]][shape as usize / 14 % 4],
                shared: [0, 512][shape as usize / 56 % 2],
                args,
                cooperative: shape / 336 % 4 == 0,
                shared_allowed: None,
            };
            let seed = u64::from(shape / 112 % 3);
            // sometimes on two host threads, with a few blocks for each
            let threads = 1 + usize::from(shape / 1344 % 8 == 0);
            let _ = run(
                module,
                &mut memory,
                &launch,
                &Options { diagnose, seed, threads, budget: 3000, ..Options::default() },
            );
        }
    }
}
