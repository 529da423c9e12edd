//! The process in which a program runs. It exports the functions of the CUDA runtime, loads the
//! program and calls its `main`. When the program ends, by returning, by `exit` or by a signal, the
//! process writes a report.

#![expect(unsafe_code, reason = "loading a program and calling it")]

use std::error::Error;
use std::ffi::{CString, c_char, c_int, c_void};
use std::path::Path;
use std::process::ExitCode;
use std::{fs, io};

use cudart_sim::abi;
use cudart_sim::crash;
use cudart_sim::report::Report;
use cudart_sim::runtime::Settings;
use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};

use super::{REPORT_VARIABLE, thread};

/// The hidden subcommand `checker program`, which turns this process into the program.
pub fn serve(object: &Path, seed: Option<u64>, args: &[String]) -> ExitCode {
    if let Some(seed) = seed
        && let Err(error) = simulate(seed)
    {
        eprintln!("error: signal handlers cannot be installed: {error}");
        return ExitCode::from(crate::exit::ENVIRONMENT);
    }
    unsafe extern "C" {
        fn exit(status: c_int) -> !;
    }
    match call_main(object, args) {
        // SAFETY: this ends the process as returning from `main` does, and no value here has to be
        // dropped.
        Ok(status) => unsafe { exit(status) },
        Err(error) => {
            eprintln!("error: the program cannot be loaded: {error}");
            ExitCode::from(crate::exit::ENVIRONMENT)
        }
    }
}

/// Starts the simulated runtime in this process.
fn simulate(seed: u64) -> io::Result<()> {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get().min(8));
    abi::start(Settings { threads, seed, order: seed, ..Settings::default() });
    crash::watch(|report| write_report(&report))?;
    unsafe extern "C" {
        fn atexit(function: extern "C" fn()) -> c_int;
    }
    // SAFETY: `at_exit` is a plain function. It runs after the functions that the program
    // registers, because it is registered first.
    unsafe { atexit(at_exit) };
    Ok(())
}

type Main = unsafe extern "C-unwind" fn(c_int, *mut *mut c_char, *mut *mut c_void) -> c_int;

fn call_main(object: &Path, args: &[String]) -> Result<c_int, Box<dyn Error>> {
    let name = object.to_string_lossy().into_owned();
    let owned: Vec<CString> =
        std::iter::once(&name).chain(args).filter_map(|a| CString::new(a.as_str()).ok()).collect();
    let mut pointers: Vec<*mut c_char> = owned.iter().map(|a| a.as_ptr().cast_mut()).collect();
    pointers.push(std::ptr::null_mut());
    // SAFETY: the process exists only for this program, so its constructors and `main` may do
    // anything with it.
    unsafe {
        let library = Library::open(Some(object), RTLD_NOW | RTLD_GLOBAL)?;
        let main: libloading::os::unix::Symbol<Main> = library.get(b"main\0")?;
        let (main, arguments) = (*main, pointers.as_mut_ptr() as usize);
        let (count, mut status) = (owned.len() as c_int, 0);
        let body = || status = main(count, arguments as *mut *mut c_char, std::ptr::null_mut());
        thread::run(body)?;
        // the program stays loaded, because its destructors run at the end of the process
        std::mem::forget(library);
        Ok(status)
    }
}

/// Writes the report of a program that ends normally.
extern "C" fn at_exit() {
    write_report(&abi::finish());
}

fn write_report(report: &Report) {
    if let Some(path) = std::env::var_os(REPORT_VARIABLE)
        && let Ok(text) = serde_json::to_vec(report)
    {
        let _ = fs::write(path, text);
    }
}
