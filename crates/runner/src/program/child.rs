//! The process in which a program runs. It exports the functions of the CUDA runtime, loads the
//! program and calls its `main`. When the program ends, by returning, by `exit` or by a signal, the
//! process writes a report.

#![expect(unsafe_code, reason = "loading a program and calling it")]

use std::error::Error;
use std::ffi::{CString, c_char, c_int, c_void};
use std::path::Path;
use std::process::ExitCode;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{fs, io};

use cudart_sim::abi;
use cudart_sim::crash;
use cudart_sim::report::Report;
use cudart_sim::runtime::Settings as RuntimeSettings;
use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};

use super::{
    REPORT_VARIABLE, SETTINGS_VARIABLE, Settings, Simulation, UNLOADABLE_VARIABLE, thread,
};

/// What `checker-worker` does with [`COMMAND`](super::COMMAND): it turns this process into the
/// program.
pub fn serve(object: &Path, args: &[String]) -> ExitCode {
    let settings = std::env::var(SETTINGS_VARIABLE).unwrap_or_default();
    let Ok(Settings { simulation, parent }) = serde_json::from_str(&settings) else {
        eprintln!("error: {SETTINGS_VARIABLE} is missing, which `checker run` sets");
        return ExitCode::from(crate::ENVIRONMENT);
    };
    if !ends_with(parent) {
        return ExitCode::from(crate::ENVIRONMENT);
    }
    if let Some(simulation) = simulation
        && let Err(error) = simulate(simulation, write_report)
    {
        eprintln!("error: {error}");
        return ExitCode::from(crate::ENVIRONMENT);
    }
    let why = call(object, args);
    if let Some(path) = std::env::var_os(UNLOADABLE_VARIABLE) {
        let _ = fs::write(path, why);
    }
    ExitCode::from(crate::ENVIRONMENT)
}

/// Calls the `main` of a compiled program on the simulator, and ends this process with the
/// program's exit status. `on_end` gets the report before, however the program ends. Returns only
/// if the program cannot be started, with the reason.
pub fn call_main(
    object: &Path,
    args: &[String],
    simulation: Simulation,
    on_end: fn(Report),
) -> String {
    match simulate(simulation, on_end) {
        Ok(()) => call(object, args),
        Err(error) => error.to_string(),
    }
}

/// Calls the program's `main`, and ends this process as a return from `main` does. Returns only if
/// the program cannot be started, with the reason.
fn call(object: &Path, args: &[String]) -> String {
    unsafe extern "C" {
        fn exit(status: c_int) -> !;
    }
    match load_and_call(object, args) {
        // SAFETY: this ends the process as returning from `main` does, and no value here has to be
        // dropped.
        Ok(status) => unsafe { exit(status) },
        Err(why) => why,
    }
}

/// Asks the system to kill this process as soon as the checker that started it has ended. Otherwise
/// a program that never ends by itself would go on after a `kill -9` of the checker. Returns false
/// when the checker has already ended.
fn ends_with(parent: u32) -> bool {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal};
        let refused = set_parent_process_death_signal(Some(Signal::KILL)).is_err();
        // the checker may have ended before the call
        refused || getppid().map(Pid::as_raw_pid) == i32::try_from(parent).ok()
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = parent;
        true
    }
}

/// Gets the report when the program ends.
static ON_END: OnceLock<fn(Report)> = OnceLock::new();

/// Starts the simulated runtime in this process. `on_end` gets the report of the program.
fn simulate(simulation: Simulation, on_end: fn(Report)) -> io::Result<()> {
    let Simulation { seed, memory, budget, traced, resources } = simulation;
    let _ = ON_END.set(on_end);
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get().min(8));
    let order = seed;
    abi::start(RuntimeSettings {
        threads,
        seed,
        order,
        memory,
        memory_adjustable: true,
        budget,
        ..RuntimeSettings::default()
    });
    abi::assembled(resources);
    if let Some(traced) = traced {
        abi::trace(traced);
    }
    crash::watch(on_end).map_err(|error| {
        io::Error::new(error.kind(), format!("signal handlers cannot be installed: {error}"))
    })?;
    abi::process::before_exit(end);
    unsafe extern "C" {
        fn on_exit(function: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
        fn at_quick_exit(function: extern "C" fn()) -> c_int;
    }
    // SAFETY: these are plain functions. They run after the functions that the program registers,
    // because they are registered first.
    unsafe {
        on_exit(at_exit, std::ptr::null_mut());
        at_quick_exit(at_quick_exit_of_program);
    }
    Ok(())
}

type Main = unsafe extern "C-unwind" fn(c_int, *mut *mut c_char, *mut *mut c_void) -> c_int;

fn load_and_call(object: &Path, args: &[String]) -> Result<c_int, String> {
    let name = object.to_string_lossy().into_owned();
    let owned: Vec<CString> =
        std::iter::once(&name).chain(args).filter_map(|a| CString::new(a.as_str()).ok()).collect();
    let mut pointers: Vec<*mut c_char> = owned.iter().map(|a| a.as_ptr().cast_mut()).collect();
    pointers.push(std::ptr::null_mut());
    // SAFETY: the process exists only for this program, so its constructors and `main` may do
    // anything with it.
    unsafe {
        let library = Library::open(Some(object), RTLD_NOW | RTLD_GLOBAL).map_err(reason)?;
        let main: libloading::os::unix::Symbol<Main> = library.get(b"main\0").map_err(reason)?;
        let (main, arguments) = (*main, pointers.as_mut_ptr() as usize);
        let (count, mut status) = (owned.len() as c_int, 0);
        let body = || status = main(count, arguments as *mut *mut c_char, std::ptr::null_mut());
        thread::run(body).map_err(|error| error.to_string())?;
        // the program stays loaded, because its destructors run at the end of the process
        std::mem::forget(library);
        Ok(status)
    }
}

/// The dynamic linker's own message, which is the source of the library's error.
fn reason(error: libloading::Error) -> String {
    error.source().map_or_else(|| error.to_string(), |source| source.to_string())
}

/// Passes on the report of a program that ends with this exit status. Only the first call has an
/// effect, because functions that run at the end of a process may themselves end it.
fn end(status: c_int) {
    static ENDED: AtomicBool = AtomicBool::new(false);
    if !ENDED.swap(true, Ordering::SeqCst)
        && let Some(on_end) = ON_END.get()
    {
        on_end(abi::end_program(status));
    }
}

/// `main` has returned, or the program has called `exit`.
extern "C" fn at_exit(status: c_int, _: *mut c_void) {
    end(status);
}

/// The program has called `quick_exit`, whose status is not known here.
extern "C" fn at_quick_exit_of_program() {
    end(1);
}

fn write_report(report: Report) {
    if let Some(path) = std::env::var_os(REPORT_VARIABLE)
        && let Ok(bytes) = postcard::to_stdvec(&report)
    {
        let _ = fs::write(path, bytes);
    }
}
