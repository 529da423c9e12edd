//! Calls a function of a program with given arguments, and collects what it did.

#![expect(unsafe_code, reason = "loading a program and calling it")]

use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::time::Instant;

use cudart_sim::abi;
use cudart_sim::crash;
use cudart_sim::report::{HostFinding, HostFindingKind, HostWrite, Report};
use cudart_sim::runtime::{LaunchRecord, Refusal, Settings, WatchedArray, total_of};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW, Symbol};
use ptxsim::Observations;

use super::buffer::Buffer;
use super::call::{self, Argument};
use super::thread;
use crate::backend::guard::{self, ZONE_BYTES};
use crate::backend::poison::{mix, poison, poisoned};
use crate::backend::{Arg, Call, Clock, CopiedBack, Fault, Run};
use crate::value::DType;

/// Calls functions of a program in this process. On a GPU, another program can take the first one's
/// place.
#[derive(Debug)]
pub struct Caller {
    simulated: bool,
    on_crash: fn(Run),
    /// The program that is called.
    program: Option<LoadedProgram>,
}

impl Caller {
    /// On the simulator, a call also returns the observations of the runtime. They are about the
    /// whole process, so a process makes only one call. If a signal ends the process, another
    /// thread calls `on_crash`.
    pub fn new(simulated: bool, on_crash: fn(Run)) -> Self {
        Self { simulated, on_crash, program: None }
    }

    /// Calls a function of a compiled program, which is loaded first unless the last call was of
    /// the same program.
    ///
    /// # Errors
    /// Only if the checker or the machine has a defect.
    pub fn call(&mut self, object: &Path, call: &Call) -> Result<Run, String> {
        if self.program.as_ref().is_none_or(|loaded| loaded.object != object) {
            let first = self.program.is_none();
            if first {
                prepare(call, self.on_crash)?;
            }
            match load(object)? {
                Ok(library) => {
                    let library = ManuallyDrop::new(library);
                    self.program = Some(LoadedProgram { object: object.into(), library });
                }
                Err(fault) => return Ok(Run::failed(fault, String::new())),
            }
            if first {
                forbid_fork();
            }
        }
        let Some(program) = &self.program else { return Err("no program is loaded".into()) };
        run(&program.library, call, self.simulated)
    }
}

/// A program that is loaded into this process.
#[derive(Debug)]
struct LoadedProgram {
    /// The file of the compiled program.
    object: PathBuf,
    /// It stays loaded when another program takes its place. Its destructors run when the process
    /// ends, if at all.
    library: ManuallyDrop<Library>,
}

/// Prepares the runtime for a program.
fn prepare(call: &Call, on_crash: fn(Run)) -> Result<(), String> {
    crash::watch(move |report| on_crash(crashed(&report)))
        .map_err(|error| format!("signal handlers cannot be installed: {error}"))?;
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get().min(8));
    abi::start(Settings {
        threads,
        seed: call.seed,
        budget: call.budget,
        skipped: call.skipped,
        part_of: call.part_of,
        disturbance: call.disturbance,
        fault: call.fault,
        ..Settings::default()
    });
    abi::assembled(call.resources.clone());
    abi::exchange(call.snapshots.clone());
    if let Some(traced) = &call.traced {
        abi::trace(traced.clone());
    }
    Ok(())
}

/// Calls the function, and collects the contents of its buffers.
fn run(library: &Library, call: &Call, simulated: bool) -> Result<Run, String> {
    let mut arguments = vec![];
    let mut buffers = vec![];
    for (salt, (dtype, arg)) in (call.seed..).zip(&call.args) {
        let (argument, buffer) = argument(*dtype, arg, call.seed, mix(salt))?;
        arguments.push(argument);
        buffers.push(buffer);
    }
    if simulated {
        abi::watch(watched(call, &buffers), call.watching);
    }
    let name = format!("{}\0", call.entry);
    // SAFETY: the symbol is only used as the address of a function, which is called below.
    let function: Symbol<*const std::ffi::c_void> =
        unsafe { library.get(name.as_bytes()) }.map_err(|error| error.to_string())?;
    let function = function.as_raw_ptr() as usize;
    let finish: Option<Symbol<extern "C" fn() -> i32>> = match call.timed {
        // SAFETY: a timed program ends with `checker-tools/src/timing/finish.cu`, which defines
        // this function, and has no other one of the name.
        Some(_) => unsafe { library.get(b"workbook_finish\0") }.ok(),
        None => None,
    };
    let of_kernels: Option<Symbol<extern "C" fn() -> f64>> = match call.timed {
        // SAFETY: a program for this clock ends with `checker-tools/src/timing/launches.cu`, which
        // defines this function, and has no other one of the name.
        Some(Clock::Kernels) => unsafe { library.get(b"workbook_kernel_milliseconds\0") }.ok(),
        Some(Clock::Host) | None => None,
    };
    of_kernels.as_ref().map(|milliseconds| milliseconds());
    let mut called = None;
    let threads = call.timed.and_then(|_| threads());
    let start = Instant::now();
    // SAFETY: the parameters were compared with these arguments before the call was requested
    // (`entry::check`).
    let body = || called = unsafe { call::call(function as *const _, &arguments) };
    thread::run(body).map_err(|error| format!("no thread for the program: {error}"))?;
    if call.timed.is_some() {
        wait_for_threads(threads);
        finish.as_ref().map(|finish| finish());
    }
    let took = start.elapsed().as_secs_f64() * 1e3;
    called.ok_or("the call has more arguments than can be passed")?;

    let mut run = Run::new(String::new());
    // this comes before anything else, so that work which the program did not wait for has no
    // effect on the outputs
    for (salt, ((_, arg), buffer)) in (call.seed..).zip(call.args.iter().zip(&buffers)) {
        if let Some(buffer) = buffer {
            run.add_guarded_buffer(arg, &buffer.image(), mix(salt), call.seed);
        }
    }
    if call.timed.is_some() {
        run.milliseconds.push(of_kernels.map_or(took, |milliseconds| milliseconds()));
    }
    if simulated {
        let contents: Vec<&[u8]> = run.outputs.iter().map(|output| &*output.data).collect();
        run.written_by_host = abi::written_by_host(&contents);
    }
    if simulated {
        let mut report = abi::finish();
        report.findings.splice(0..0, overreads(&report, call, &buffers));
        let overwrites = overwrites(&report, call, &buffers);
        // the copy is why the zone around the array has changed
        run.faults.retain(|fault| !explained(fault, &overwrites));
        report.findings.extend(overwrites);
        run.faults.splice(0..0, faults(&report));
        run.observations = Some(total_of(&report.launches));
        for ((_, arg), buffer) in call.args.iter().zip(&buffers) {
            let (Arg::Buffer { name, .. }, Some(buffer)) = (arg, buffer) else { continue };
            if let Some(output) = run.outputs.iter_mut().find(|output| output.name == *name) {
                output.copied_back = Some(copied_back(&report, buffer, output.data.len() as u64));
            }
        }
        run.uncopied = uncopied(&report, call, &buffers);
        run.program = Some(report);
    }
    Ok(run)
}

/// How many threads this process has, where Linux tells it.
fn threads() -> Option<usize> {
    Some(std::fs::read_dir("/proc/self/task").ok()?.count())
}

/// Waits until there are no more threads than before, because a program could return from a call
/// while its threads still work. The limit of the call ends a wait that is too long.
fn wait_for_threads(before: Option<usize>) {
    while before.is_some_and(|before| threads().is_some_and(|now| now > before)) {
        std::thread::sleep(std::time::Duration::from_micros(50));
    }
}

/// Ends a program that calls `fork`, because both processes would return from the call. It gets the
/// signal of a forbidden system call.
fn forbid_fork() {
    extern "C" fn stop() {
        // SAFETY: the default action of this signal ends the process.
        unsafe { libc::raise(libc::SIGSYS) };
    }
    // SAFETY: `stop` is a plain function.
    unsafe { libc::pthread_atfork(Some(stop), None, None) };
}

/// Loads a program. The inner error is the program's: it calls a function that is not defined.
fn load(object: &Path) -> Result<Result<Library, Fault>, String> {
    // SAFETY: the process exists only for such programs, so their constructors may do anything with
    // it.
    match unsafe { Library::open(Some(object), RTLD_NOW | RTLD_LOCAL) } {
        Ok(library) => Ok(Ok(library)),
        Err(error) => {
            // the source of this error is the message of dlopen
            let text =
                std::error::Error::source(&error).map_or(error.to_string(), |e| e.to_string());
            match text.rsplit_once("undefined symbol: ") {
                Some((_, symbol)) => {
                    let symbol = symbol.split([' ', ',']).next().unwrap_or(symbol).to_owned();
                    Ok(Err(Fault::Undefined { symbol }))
                }
                None => Err(format!("the program cannot be loaded: {text}")),
            }
        }
    }
}

/// An argument as the function takes it, with its buffer if it is a pointer.
fn argument(
    dtype: DType,
    arg: &Arg,
    seed: u64,
    salt: u64,
) -> Result<(Argument, Option<Buffer>), String> {
    match arg {
        Arg::Scalar(bytes) => {
            let word = |bytes: &[u8]| {
                let mut word = [0; 8];
                word.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
                u64::from_le_bytes(word)
            };
            let value = word(bytes);
            let argument = match dtype {
                DType::F32 => Argument::F32(f32::from_bits(value as u32)),
                DType::F64 => Argument::F64(f64::from_bits(value)),
                DType::I8 => Argument::Integer(i64::from(value as i8) as u64),
                DType::I32 => Argument::Integer(i64::from(value as i32) as u64),
                DType::U8 | DType::U32 | DType::I64 | DType::U64 => Argument::Integer(value),
                DType::F16 => return Err("a program can't take a single __half".into()),
            };
            Ok((argument, None))
        }
        Arg::Buffer { bytes, data, .. } => {
            let poisoned = || poisoned(poison(seed), *bytes);
            let contents = data.clone().unwrap_or_else(poisoned);
            let buffer = Buffer::new(&contents, salt)
                .ok_or("there is not enough memory for the arguments")?;
            Ok((Argument::Integer(buffer.address()), Some(buffer)))
        }
    }
}

/// The run of a program that a signal has ended.
fn crashed(report: &Report) -> Run {
    let crash = report.crashed.clone();
    let signal = crash.as_ref().map_or(0, |crash| crash.signal);
    let mut run =
        Run::failed(Fault::Crashed { signal, words: String::new(), crash }, String::new());
    run.faults.extend(faults(report));
    run
}

/// All faults of a program in the order in which it made them, because the first is often the
/// reason for the others. Missing order comes before the faults of kernels, because it is the
/// reason for what they read.
fn faults(report: &Report) -> Vec<Fault> {
    let findings = report.ordered_findings();
    let mut faults: Vec<Fault> = findings.first.into_iter().map(Fault::Host).collect();
    let mut calls = findings.others.into_iter().peekable();
    for launch in &report.launches {
        while let Some(call) = calls.next_if(|call| call.launches <= launch.number) {
            faults.push(Fault::Host(call));
        }
        faults.extend(faults_of_launches([launch]));
    }
    faults.extend(calls.map(Fault::Host));
    faults
}

fn faults_of_launches<'a>(launches: impl IntoIterator<Item = &'a LaunchRecord>) -> Vec<Fault> {
    let mut faults = vec![];
    for launch in launches {
        let without_observations =
            LaunchRecord { observations: Observations::default(), trace: None, ..launch.clone() };
        for finding in &launch.observations.findings {
            faults.push(Fault::InLaunch {
                launch: Box::new(without_observations.clone()),
                finding: finding.clone(),
            });
        }
        if let Some(Refusal { text, feature, at }) = launch.refusal.clone() {
            faults.push(Fault::Unsupported { feature: feature.unwrap_or(text), source: at });
        }
    }
    faults
}

/// The arrays of a call, before it.
fn watched(call: &Call, buffers: &[Option<Buffer>]) -> Vec<WatchedArray> {
    let arrays = call.args.iter().zip(buffers).filter_map(|((_, arg), buffer)| {
        let (Arg::Buffer { name, writable, .. }, Some(buffer)) = (arg, buffer) else { return None };
        Some(WatchedArray {
            name: name.clone(),
            address: buffer.address(),
            contents: guard::contents(&buffer.image()).to_vec(),
            output: *writable,
        })
    });
    arrays.collect()
}

/// Arrays that the program only reads, and that no copy to the device reads, although copies read
/// others of them.
fn uncopied(report: &Report, call: &Call, buffers: &[Option<Buffer>]) -> Vec<String> {
    let mut names = [vec![], vec![]];
    for ((_, arg), buffer) in call.args.iter().zip(buffers) {
        let (Arg::Buffer { name, bytes, writable: false, .. }, Some(buffer)) = (arg, buffer) else {
            continue;
        };
        let contents = buffer.address()..buffer.address() + *bytes as u64;
        let copied = report.from_host.iter().any(|copy| contents.contains(&copy.from));
        names[usize::from(copied)].push(name.clone());
    }
    let [uncopied, copied] = names;
    if copied.is_empty() { vec![] } else { uncopied }
}

/// Copies to the device that begin inside an argument's array and read beyond its end.
fn overreads(report: &Report, call: &Call, buffers: &[Option<Buffer>]) -> Vec<HostFinding> {
    let mut found = vec![];
    for ((_, arg), buffer) in call.args.iter().zip(buffers) {
        let (Arg::Buffer { name, bytes, .. }, Some(buffer)) = (arg, buffer) else { continue };
        let end = buffer.address() + *bytes as u64;
        let inside = report.from_host.iter().filter(|c| (buffer.address()..end).contains(&c.from));
        let beyond = inside.filter(|copy| copy.bytes > end - copy.from);
        found.extend(beyond.map(|copy| HostFinding {
            kind: HostFindingKind::HostOverread {
                array: name.clone(),
                available: end - copy.from,
                bytes: copy.bytes,
                rows: copy.rows,
            },
            at: copy.at.clone(),
            earlier: None,
            count: 1,
            launches: 0,
            enqueued: 0,
        }));
    }
    found
}

/// Copies to the host that begin inside an argument's array, or in the zones around it, and write
/// outside of the array.
fn overwrites(report: &Report, call: &Call, buffers: &[Option<Buffer>]) -> Vec<HostFinding> {
    let mut found = vec![];
    for ((_, arg), buffer) in call.args.iter().zip(buffers) {
        let (Arg::Buffer { name, bytes, .. }, Some(buffer)) = (arg, buffer) else { continue };
        let (start, bytes) = (buffer.address(), *bytes as u64);
        let (end, zone) = (start + bytes, ZONE_BYTES as u64);
        let near = report.to_host.iter().filter(|c| (start - zone..end + zone).contains(&c.to));
        let outside = near.filter(|c| c.to < start || c.span > end.saturating_sub(c.to));
        found.extend(outside.map(|copy| {
            let inside = if copy.to < start { 0..0 } else { copy.to.min(end)..end };
            HostFinding {
                kind: HostFindingKind::HostOverwrite {
                    array: name.clone(),
                    offset: copy.to.wrapping_sub(start) as i64,
                    available: inside.end - inside.start,
                    bytes: copy.span,
                    rows: copy.rows,
                },
                at: copy.at.clone(),
                earlier: None,
                count: 1,
                launches: report.launches.len(),
                enqueued: u64::MAX,
            }
        }));
    }
    found
}

/// Is a changed zone the work of one of these copies?
fn explained(fault: &Fault, overwrites: &[HostFinding]) -> bool {
    let Fault::GuardZone { name, .. } = fault else { return false };
    overwrites.iter().any(|finding| {
        matches!(&finding.kind, HostFindingKind::HostOverwrite { array, .. } if array == name)
    })
}

/// What the program copied from the device to the `bytes` of a buffer.
fn copied_back(report: &Report, buffer: &Buffer, bytes: u64) -> CopiedBack {
    let contents = buffer.address()..buffer.address() + bytes;
    let mut back = CopiedBack::default();
    for copy in report.to_host.iter().filter(|copy| contents.contains(&copy.to)) {
        back.bytes += copy.bytes;
        let address = buffer.address();
        back.written_by.extend(copy.written_by.as_ref().map(|write| {
            let [first, last] = write.bytes.map(|byte| byte.saturating_sub(address));
            HostWrite { at: write.at.clone(), bytes: [first, last] }
        }));
        back.from.extend(
            copy.from.iter().filter(|name| !back.from.contains(name)).cloned().collect::<Vec<_>>(),
        );
    }
    back
}
