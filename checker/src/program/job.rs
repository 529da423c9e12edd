//! Calls of a program's function: what a worker does for an exercise with host code.

#![expect(unsafe_code, reason = "loading a program and calling it")]

use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::time::Instant;

use cudart_sim::abi;
use cudart_sim::crash;
use cudart_sim::report::Report;
use cudart_sim::runtime::Settings;
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW, Symbol};
use ptxsim::Observations;

use super::buffer::Buffer;
use super::call::{self, Argument};
use super::thread;
use crate::backend::guard;
use crate::backend::poison::{mix, poison, poisoned};
use crate::backend::{Arg, Call, Fault, Output, Run, first_difference};
use crate::value::DType;

/// The program of a process, or, on a GPU, one after the other.
#[derive(Debug)]
pub struct Job {
    simulated: bool,
    last_words: fn(Run),
    /// The program that is called, and its file. It stays when another takes its place: its destructors run, or do not, when
    /// the process ends.
    program: Option<(PathBuf, ManuallyDrop<Library>)>,
}

impl Job {
    /// On the simulator, what is seen of a call comes back, too; a process makes one call then, since what is seen is
    /// the whole process. When a signal ends it, `last_words` hears of that from another thread.
    pub fn new(simulated: bool, last_words: fn(Run)) -> Self {
        Self { simulated, last_words, program: None }
    }

    /// Calls the function of the object, which is loaded when it is not the one of the call before.
    ///
    /// # Errors
    /// What only a defect of the checker, or of the machine, can cause.
    pub fn call(&mut self, object: &Path, call: &Call) -> Result<Run, String> {
        if self.program.as_ref().is_none_or(|(loaded, _)| loaded != object) {
            let first = self.program.is_none();
            if first {
                prepare(call, self.last_words)?;
            }
            match load(object)? {
                Ok(library) => self.program = Some((object.into(), ManuallyDrop::new(library))),
                Err(fault) => return Ok(Run::failed(fault, String::new())),
            }
            if first {
                forbid_fork();
            }
        }
        let Some((_, library)) = &self.program else { return Err("no program is loaded".into()) };
        run(library, call, self.simulated)
    }
}

/// Makes the runtime ready for a program.
fn prepare(call: &Call, last_words: fn(Run)) -> Result<(), String> {
    crash::watch(move |report| last_words(crashed(&report)))
        .map_err(|error| format!("signals cannot be watched: {error}"))?;
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get().min(8));
    abi::start(Settings { threads, seed: call.seed, budget: call.budget, ..Settings::default() });
    Ok(())
}

/// Makes the arguments, calls, and looks at them.
fn run(library: &Library, call: &Call, simulated: bool) -> Result<Run, String> {
    let mut arguments = vec![];
    let mut buffers = vec![];
    for (salt, (dtype, arg)) in (call.seed..).zip(&call.args) {
        let (argument, buffer) = argument(*dtype, arg, call.seed, mix(salt))?;
        arguments.push(argument);
        buffers.push(buffer);
    }
    let name = format!("{}\0", call.entry);
    // SAFETY: the symbol is only called, below, after its parameters were compared with these arguments.
    let function: Symbol<*const std::ffi::c_void> =
        unsafe { library.get(name.as_bytes()) }.map_err(|error| error.to_string())?;
    let function = function.as_raw_ptr() as usize;
    let mut called = None;
    // SAFETY: see `entry::check`, without which no call is asked for.
    let body = || called = unsafe { call::call(function as *const _, &arguments) };
    thread::run(body).map_err(|error| format!("no thread for the program: {error}"))?;
    called.ok_or("the exercise passes more arguments than can be passed")?;

    let mut run = Run::of(String::new());
    // before anything else is done: what the program did not wait for is not there
    for (salt, ((_, arg), buffer)) in (call.seed..).zip(call.args.iter().zip(&buffers)) {
        if let Some(buffer) = buffer {
            look(arg, &buffer.image(), (call.seed, mix(salt)), &mut run);
        }
    }
    // a learner's program may have a function of that name, too: it is looked for only where the course's own are timed
    // SAFETY: then the symbol is the one of `commands/dev/launches.cu`, if it is there.
    let spent: Option<Symbol<extern "C" fn() -> f64>> = (call.repeat > 0)
        .then(|| unsafe { library.get(b"workbook_kernel_milliseconds\0") }.ok())
        .flatten();
    spent.as_ref().map(|spent| spent());
    for _ in 0..call.repeat {
        let start = Instant::now();
        // SAFETY: as above; the buffers are still there.
        let body = || called = unsafe { call::call(function as *const _, &arguments) };
        thread::run(body).map_err(|error| format!("no thread for the program: {error}"))?;
        let took = start.elapsed().as_secs_f64() * 1e3;
        run.milliseconds.push(spent.as_ref().map_or(took, |spent| spent()));
    }
    if simulated {
        let report = abi::finish();
        run.faults.splice(0..0, faults(&report));
        run.observations = Some(together(&report));
        run.program = Some(report);
    }
    Ok(run)
}

/// A program that forks would come back twice. It is stopped by the signal that forbidden system calls get.
fn forbid_fork() {
    extern "C" fn stop() {
        // SAFETY: the default action of this signal ends the process.
        unsafe { libc::raise(libc::SIGSYS) };
    }
    // SAFETY: `stop` is a plain function.
    unsafe { libc::pthread_atfork(Some(stop), None, None) };
}

/// The inner error is the learner's: a function that is not there.
fn load(object: &Path) -> Result<Result<Library, Fault>, String> {
    // SAFETY: the process exists for this program alone; its constructors may do what they like with it.
    match unsafe { Library::open(Some(object), RTLD_NOW | RTLD_LOCAL) } {
        Ok(library) => Ok(Ok(library)),
        Err(error) => {
            // dlopen's own error is the source of this one
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
                DType::I32 => Argument::Integer(i64::from(value as i32) as u64),
                DType::U8 | DType::U32 | DType::I64 | DType::U64 => Argument::Integer(value),
            };
            Ok((argument, None))
        }
        Arg::Buffer { bytes, data, .. } => {
            let poisoned = || poisoned(poison(seed), *bytes);
            let contents = data.clone().unwrap_or_else(poisoned);
            let buffer = Buffer::new(&contents, salt).ok_or("memory for the arguments is short")?;
            Ok((Argument::Integer(buffer.address()), Some(buffer)))
        }
    }
}

/// What a buffer holds after the call, and whether anybody wrote where nobody may.
fn look(arg: &Arg, image: &[u8], (seed, salt): (u64, u64), run: &mut Run) {
    let Arg::Buffer { name, dtype, data, writable, .. } = arg else { return };
    let contents = guard::contents(image);
    run.faults.extend(guard::check(image, salt, name, dtype.bytes()));
    if *writable {
        let poison = data.is_none().then(|| poison(seed));
        run.outputs.push(Output { name: name.clone(), data: contents.to_vec(), poison });
    } else if let Some(changed) = first_difference(data.as_deref(), contents) {
        let index = (changed / dtype.bytes()) as u64;
        run.faults.push(Fault::InputChanged { name: name.clone(), index });
    }
}

/// What is known of a program that a signal has ended.
fn crashed(report: &Report) -> Run {
    let crash = report.crashed.clone();
    let signal = crash.as_ref().map_or(0, |crash| crash.signal);
    let mut run =
        Run::failed(Fault::Crashed { signal, words: String::new(), crash }, String::new());
    run.faults.extend(faults(report));
    run
}

/// What went wrong: with the calls first, since kernels suffer from what went wrong there, then in the launches.
fn faults(report: &Report) -> Vec<Fault> {
    let mut faults: Vec<Fault> = report.findings.iter().cloned().map(Fault::Host).collect();
    for launch in &report.launches {
        let bare = cudart_sim::runtime::LaunchRecord {
            observations: Observations::default(),
            ..launch.clone()
        };
        for finding in &launch.observations.findings {
            faults
                .push(Fault::InLaunch { launch: Box::new(bare.clone()), finding: finding.clone() });
        }
        if let Some(feature) = &launch.refusal {
            faults.push(Fault::Unsupported { feature: feature.clone(), source: None });
        }
    }
    faults
}

/// The launches of a program as one: sums in total and by line.
fn together(report: &Report) -> Observations {
    let mut all = Observations { completed: true, ..Observations::default() };
    for Observations { completed, totals, lines, shared_bytes, warps, .. } in
        report.launches.iter().map(|l| &l.observations)
    {
        all.completed &= completed;
        all.shared_bytes = all.shared_bytes.max(*shared_bytes);
        all.warps += warps;
        all.totals.add(totals);
        for line in lines {
            match all.lines.iter_mut().find(|known| known.source == line.source) {
                Some(known) => known.counters.add(&line.counters),
                None => all.lines.push(line.clone()),
            }
        }
    }
    all.lines.sort_by(|a, b| {
        let key = |l: &ptxsim::LineCounters| (l.source.file.clone(), l.source.line);
        key(a).cmp(&key(b))
    });
    all
}
