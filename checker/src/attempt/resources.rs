//! What the assembler allocates for the kernels of a file, and launches that need more registers
//! than a block can have.

use cudart_sim::error::Code;
use cudart_sim::occupancy::{Card, Needs};
use cudart_sim::resources::KernelResources;

use super::code::CompiledCode;
use super::{Error, kernel};
use crate::backend::{Fault, Launch};
use crate::compile::{Assembly, Module, Outcome, ProgramOptions, Target};
use crate::engine::Engine;
use crate::spec::{Case, Metric, Spec};

/// The resources of kernels, or a sentence that says why they are unknown.
pub type Resources = Result<Vec<KernelResources>, String>;

/// What the assembler allocates for the kernels of compiled code on a card. Code for a card that is
/// older than the simulated device is compiled again.
pub fn on_card(
    spec: &Spec,
    source: &str,
    (code, case): (&CompiledCode, &Case),
    card: &Card,
    engine: &mut Engine,
) -> Result<Resources, Error> {
    let file = format!("{}.cu", spec.id);
    let assembly = Assembly { arch: card.architecture(), max_registers: None };
    let unknown = || Ok(Err(format!("the code does not compile for {}", assembly.arch)));
    match code {
        CompiledCode::Kernel(_) => {
            let Outcome::Compiled(module) =
                engine.compile_for(card, source, &file, &kernel::options(case))?
            else {
                return unknown();
            };
            Ok(engine.resources(&module.ptx, &assembly)?)
        }
        CompiledCode::Program(_) => {
            let assembled_for = assembly.arch.clone();
            let options =
                ProgramOptions { assembled_for, ..ProgramOptions::exercise(Target::Simulator) };
            let Outcome::Compiled(program) = engine.build(source, &file, &options)? else {
                return unknown();
            };
            Ok(program.resources)
        }
    }
}

/// Whether gates of the exercise need what the assembler allocates.
pub(super) fn decide_gates(spec: &Spec) -> bool {
    let of_assembler = [Metric::ResidentWarps, Metric::Waves, Metric::LocalBytes];
    of_assembler.iter().any(|metric| spec.has_gate(*metric))
}

/// The fault of a launch that a GPU refuses because of the registers of its kernel. The assembler
/// runs only if the number of virtual registers leaves this open.
pub(super) fn refusal(
    module: &Module,
    launch: &Launch,
    engine: &mut Engine,
) -> Result<Option<Fault>, Error> {
    let product = |dims: [u32; 3]| dims.iter().map(|n| u64::from(*n)).product();
    let needs = |registers, static_shared| Needs {
        registers,
        threads: product(launch.block),
        blocks: product(launch.grid),
        shared: launch.shared.saturating_add(static_shared),
        cooperative: launch.cooperative,
    };
    let Some(kernel) = module.kernels.iter().find(|kernel| kernel.name == launch.entry) else {
        return Ok(None);
    };
    // static shared memory is not known here, so a cooperative launch always needs the assembler
    let possible = needs(kernel.registers_at_most, u32::MAX);
    if possible.refusal(&kernel.name).is_none() {
        return Ok(None);
    }
    let Ok(all) = engine.resources(&module.ptx, &Assembly::default())? else { return Ok(None) };
    let known = all.iter().find(|known| known.name == launch.entry);
    let refusal = known.and_then(|known| needs(known.registers, known.shared).refusal(&known.name));
    Ok(refusal.map(|(code, text)| Fault::Driver {
        code: code.0.unsigned_abs(),
        name: driver_name(code).to_owned(),
        text,
    }))
}

/// The driver's name for an error of a launch (CUDA Driver API, `CUresult`).
const fn driver_name(code: Code) -> &'static str {
    match code {
        Code::COOPERATIVE_LAUNCH_TOO_LARGE => "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",
        _ => "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
    }
}
