//! The registers of kernels, which NVIDIA's assembler ptxas chooses. It compiles the PTX for one
//! architecture, and prints what each kernel uses (`--verbose`, CUDA Compiler Driver NVCC, "Options
//! for Specifying the Compilation Phase" and "Printing Code Generation Statistics").
//!
//! Only a worker child calls this, because the PTX is whatever a learner's text makes of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use cudart_sim::occupancy::{MAX_REGISTERS, SIMULATED};
use cudart_sim::resources::KernelResources;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use super::errors;
use super::interface::{MAX_KERNELS, clipped};
use crate::start;
use crate::toolchain::Toolchain;

/// The most bytes that are read of what ptxas prints.
const MAX_LOG_BYTES: u64 = 4 << 20;
/// The most bytes of static shared or local memory that are reported.
const MAX_BYTES: u32 = 1 << 20;

/// How the assembler compiles PTX. Part of the cache's key.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Assembly {
    /// The architecture: `sm_90`.
    pub arch: String,
    /// The most registers of a thread (`-maxrregcount`), if the program sets a limit.
    pub max_registers: Option<u32>,
}

impl Default for Assembly {
    /// For the simulated device.
    fn default() -> Self {
        Self { arch: SIMULATED.architecture(), max_registers: None }
    }
}

/// Assembles PTX. The error is a sentence that says why its resources are unknown.
pub fn assemble(
    toolchain: &Toolchain,
    ptx: &str,
    assembly: &Assembly,
) -> Result<Vec<KernelResources>, String> {
    Assembling::start(toolchain, [ptx], assembly)?.finish()
}

/// The assembler of a compiler, if it is installed.
pub fn assembler(toolchain: &Toolchain) -> Option<PathBuf> {
    let nvcc = toolchain.nvcc.as_ref()?;
    let real = fs::canonicalize(nvcc).ok();
    let beside = |nvcc: &Path| Some(nvcc.parent()?.join("ptxas")).filter(|path| path.is_file());
    beside(nvcc).or_else(|| beside(&real?))
}

/// Assemblers that are running, one for each module. Dropping this ends them.
#[derive(Debug)]
pub(super) struct Assembling {
    /// With the kernels of each module that call functions.
    children: Vec<(Child, BTreeSet<String>)>,
    _folder: TempDir,
}

impl Assembling {
    /// Starts an assembler for each module.
    pub(super) fn start<'a>(
        toolchain: &Toolchain,
        modules: impl IntoIterator<Item = &'a str>,
        assembly: &Assembly,
    ) -> Result<Self, String> {
        let ptxas = assembler(toolchain).ok_or_else(|| {
            "the CUDA compiler that was found has no assembler: `checker setup` installs one"
                .to_owned()
        })?;
        let failed = |error: io::Error| format!("ptxas could not be run: {error}");
        let folder = tempfile::tempdir().map_err(failed)?;
        let mut all = Self { children: vec![], _folder: folder };
        for (number, ptx) in modules.into_iter().enumerate() {
            let input = format!("{number}.ptx");
            fs::write(all._folder.path().join(&input), ptx).map_err(failed)?;
            let limit = assembly.max_registers.map(|most| format!("--maxrregcount={most}"));
            let mut command = Command::new(&ptxas);
            command
                .arg(format!("--gpu-name={}", assembly.arch))
                .args(limit)
                .args(["--verbose", "--output-file", &format!("{number}.cubin"), &input])
                .current_dir(all._folder.path())
                .env("LC_ALL", "C")
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::piped());
            let child = start::process(&mut command).map_err(failed)?;
            all.children.push((child, callers(ptx)));
        }
        Ok(all)
    }

    /// Waits for the assemblers, and returns what they have said about all kernels.
    pub(super) fn finish(mut self) -> Result<Vec<KernelResources>, String> {
        let mut all = vec![];
        for (child, callers) in &mut self.children {
            let mut log = vec![];
            if let Some(stderr) = child.stderr.take() {
                let _ = stderr.take(MAX_LOG_BYTES).read_to_end(&mut log);
            }
            let log = String::from_utf8_lossy(&log);
            match child.wait() {
                Ok(status) if status.success() => all.append(&mut parse(&log, callers)),
                _ => return Err(format!("ptxas gave up: {}", clipped(&errors::first_line(&log)))),
            }
        }
        all.truncate(MAX_KERNELS);
        Ok(all)
    }
}

impl Drop for Assembling {
    fn drop(&mut self) {
        for (child, _) in &mut self.children {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// What ptxas says about each kernel:
///
/// ```text
/// ptxas info    : Compiling entry function 'scale' for 'sm_90'
/// ptxas info    : Function properties for scale
///     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
/// ptxas info    : Used 10 registers, used 1 barriers, 1024 bytes smem
/// ```
///
/// The properties of device functions that the kernel calls may follow. The last line has no
/// cumulative stack size if a function calls itself, because the depth of the calls is unknown. A
/// kernel among `callers` then needs at least the local memory of the function with the largest
/// frame.
fn parse(log: &str, callers: &BTreeSet<String>) -> Vec<KernelResources> {
    let mut all: Vec<KernelResources> = vec![];
    let (mut unknown, mut largest) = (BTreeSet::new(), 0);
    let mut kernel: Option<KernelResources> = None;
    let mut own = false;
    for line in log.lines() {
        let text = line
            .strip_prefix("ptxas info")
            .map_or(line, |rest| rest.trim_start_matches([' ', ':']));
        if let Some(rest) = text.strip_prefix("Compiling entry function '") {
            let name = clipped(rest.split('\'').next().unwrap_or_default());
            kernel = Some(KernelResources { name, ..KernelResources::default() });
        } else if let Some(name) = text.strip_prefix("Function properties for ") {
            own = kernel.as_ref().is_some_and(|kernel| kernel.name == clipped(name.trim()));
        } else if let (Some(kernel), true) =
            (&mut kernel, own && text.contains("bytes stack frame"))
        {
            kernel.local = amount(text, "bytes stack frame").unwrap_or(0);
            kernel.spill_stores = amount(text, "bytes spill stores").unwrap_or(0);
            kernel.spill_loads = amount(text, "bytes spill loads").unwrap_or(0);
        } else if let Some(frame) = amount(text, "bytes stack frame") {
            largest = frame.max(largest);
        } else if let Some(rest) = text.strip_prefix("Used ")
            && let Some(mut kernel) = kernel.take()
            && let Some(registers) = amount(rest, "registers")
        {
            kernel.registers = registers.min(MAX_REGISTERS);
            kernel.shared = amount(rest, "bytes smem").unwrap_or(0);
            let stack = amount(rest, "bytes cumulative stack size");
            kernel.local = stack.unwrap_or(0).max(kernel.local);
            if stack.is_none() && callers.contains(&kernel.name) {
                unknown.insert(all.len());
            }
            all.push(kernel);
        }
    }
    for (_, kernel) in all.iter_mut().enumerate().filter(|(at, _)| unknown.contains(at)) {
        kernel.local = kernel.local.max(largest);
    }
    all
}

/// The kernels of a module that call functions.
fn callers(ptx: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut current = None;
    for line in ptx.lines().map(str::trim_start) {
        if let Some(name) = entry(line) {
            current = Some(name);
        } else if is_function(line) {
            current = None;
        } else if let Some(name) = current {
            let calls = |word: &str| word == "call" || word.starts_with("call.");
            if line.split_ascii_whitespace().take(2).any(calls) {
                found.insert(clipped(name));
            }
        }
    }
    found
}

/// The name of the kernel whose declaration begins in this line.
fn entry(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once(".entry ")?;
    let end = |c: char| !c.is_ascii_alphanumeric() && !"_$%".contains(c);
    rest.trim_start().split(end).next()
}

fn is_function(line: &str) -> bool {
    line.starts_with(".func") || line.contains(" .func ")
}

/// The number before `unit` in a list such as `0 bytes stack frame, 8 bytes spill stores`.
fn amount(list: &str, unit: &str) -> Option<u32> {
    let number = list.split(", ").find_map(|part| part.trim().strip_suffix(unit))?;
    number.trim().parse().ok().map(|n: u32| n.min(MAX_BYTES))
}

/// The most registers of a thread that each kernel of a module plausibly needs, by name: an
/// estimate that takes no time, so that the assembler has to run only for launches that may fail.
///
/// Virtual registers are assigned once, so a kernel has many more of them than it needs at the same
/// time: no solution of the course needs as many real registers as it has virtual ones. The
/// assembler may unroll a loop and then needs more, hence the factor.
pub(super) fn bounds(ptx: &str) -> BTreeMap<String, u32> {
    /// Real registers for each virtual one.
    const FACTOR: u32 = 2;
    /// Registers that a kernel may need besides, such as for a division.
    const FURTHER: u32 = 16;
    let mut functions = 0_u32;
    let mut kernels: BTreeMap<String, u32> = BTreeMap::new();
    let mut current: Option<String> = None;
    for line in ptx.lines() {
        let line = line.trim_start();
        if let Some(name) = entry(line) {
            kernels.entry(name.to_owned()).or_default();
            current = Some(name.to_owned());
        } else if is_function(line) {
            current = None;
        } else if let Some(at) = line.find(".reg ") {
            let registers = declared(&line[at + ".reg ".len()..]);
            let count = match &current {
                Some(name) => kernels.entry(name.clone()).or_default(),
                None => &mut functions,
            };
            *count = count.saturating_add(registers);
        }
    }
    let bound = |own: u32| {
        let virtual_registers = own.saturating_add(functions);
        virtual_registers.saturating_mul(FACTOR).saturating_add(FURTHER).min(MAX_REGISTERS)
    };
    kernels.into_iter().map(|(name, own)| (name, bound(own))).collect()
}

/// The 32-bit registers of a declaration: `.b64 %rd<9>;`, `.f32 x, y;`
fn declared(declaration: &str) -> u32 {
    let (ty, names) = declaration.trim_start().split_once(char::is_whitespace).unwrap_or_default();
    let words = match ty {
        ".pred" => return 0,
        ".b64" | ".u64" | ".s64" | ".f64" => 2,
        ".b128" => 4,
        _ => 1,
    };
    let names = names.split(';').next().unwrap_or_default();
    let count = |name: &str| {
        let number = name.split_once('<').and_then(|(_, rest)| rest.split('>').next());
        number.and_then(|number| number.trim().parse().ok()).unwrap_or(1_u32)
    };
    names.split(',').fold(0, |sum: u32, name| sum.saturating_add(count(name).saturating_mul(words)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'calls' for 'sm_90'
ptxas info    : Function properties for calls
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 24 registers, used 0 barriers, 80 bytes cumulative stack size
ptxas info    : Compile time = 20.022 ms
ptxas info    : Function properties for helper
    72 bytes stack frame, 20 bytes spill stores, 24 bytes spill loads
ptxas info    : Compiling entry function 'tile' for 'sm_90'
ptxas info    : Function properties for tile
    512 bytes stack frame, 1368 bytes spill stores, 1512 bytes spill loads
ptxas info    : Used 24 registers, used 1 barriers, 512 bytes cumulative stack size, 1024 bytes smem, 360 bytes cmem[0]
";

    #[test]
    fn the_log_describes_each_kernel() {
        let calls = KernelResources {
            name: "calls".into(),
            registers: 24,
            local: 80,
            ..KernelResources::default()
        };
        let tile = KernelResources {
            name: "tile".into(),
            registers: 24,
            shared: 1024,
            local: 512,
            spill_stores: 1368,
            spill_loads: 1512,
        };
        assert_eq!(parse(LOG, &BTreeSet::new()), [calls, tile]);
        assert_eq!(parse("", &BTreeSet::new()), []);
        assert_eq!(parse("ptxas info    : Used 24 registers", &BTreeSet::new()), []);
    }

    /// ptxas (CUDA 13.0) gives no cumulative size for a kernel that calls a recursive function.
    #[test]
    fn a_recursive_function_has_at_least_one_frame() {
        let log = "
ptxas info    : Compiling entry function 'k' for 'sm_90'
ptxas info    : Function properties for k
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers
ptxas info    : Compiling entry function 'other' for 'sm_90'
ptxas info    : Function properties for other
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers
ptxas info    : Function properties for _Z4slowPKfii
    1104 bytes stack frame, 860 bytes spill stores, 860 bytes spill loads
";
        let ptx = ".visible .entry k(\n.param .u64 k_param_0)\n{\n\tcall.uni (retval0),\n\t_Z4slowPKfii,\n(param0);\n\
            \tret;\n}\n.visible .entry other()\n{\n ret; }\n.func f()\n{\n call.uni g, ();\n}\n";
        let local: Vec<u32> = parse(log, &callers(ptx)).iter().map(|kernel| kernel.local).collect();
        assert_eq!(local, [1104, 0]);
    }

    /// A log that is cut off, or that a hostile name has changed, is never more than a few numbers.
    #[test]
    fn numbers_and_names_are_capped() {
        let name = "n".repeat(5000);
        let log = format!(
            "ptxas info    : Compiling entry function '{name}' for 'sm_90'\nptxas info    : Used 4000000000 registers, 4000000000 bytes smem\n"
        );
        let [kernel] = &parse(&log, &BTreeSet::new())[..] else { panic!() };
        assert!(kernel.name.len() < 1000 && kernel.registers == 255 && kernel.shared == 1 << 20);
    }

    /// Registers of device functions count for each kernel, and predicates for none.
    #[test]
    fn bounds_count_virtual_registers() {
        let ptx = "
            .visible .func (.param .b32 r) helper(.param .b32 a)
            {
                .reg .b32 %r<4>;
            }
            .visible .entry few(.param .u64 p)
            {
                .reg .pred %p<9>;
                .reg .b32 %r<3>;
                .reg .b64 %rd<5>;
                { .reg .b32 t, u; mov.u32 t, 0; }
            }
            .entry many(
                .param .u64 p
            )
            {
                .reg .f32 %f<900>;
            }";
        let bounds = bounds(ptx);
        assert_eq!(bounds.get("few"), Some(&(2 * (4 + 3 + 10 + 2) + 16)));
        assert_eq!(bounds.get("many"), Some(&255));
        assert_eq!(bounds.len(), 2);
    }
}
