//! The process in which a program runs: it exports the functions of the CUDA runtime, loads the program, calls its
//! `main`, and leaves a report when it ends, in whichever way it ends by itself.

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

/// The hidden subcommand `checker program`: becomes the program.
pub fn serve(object: &Path, seed: Option<u64>, args: &[String]) -> ExitCode {
    if let Some(seed) = seed
        && let Err(error) = simulate(seed)
    {
        eprintln!("error: signals cannot be watched: {error}");
        return ExitCode::from(crate::exit::ENVIRONMENT);
    }
    unsafe extern "C" {
        fn exit(status: c_int) -> !;
    }
    match call_main(object, args) {
        // SAFETY: ends the process as returning from `main` does; nothing of ours is left to be dropped.
        Ok(status) => unsafe { exit(status) },
        Err(error) => {
            eprintln!("error: the program cannot be loaded: {error}");
            ExitCode::from(crate::exit::ENVIRONMENT)
        }
    }
}

/// Makes this process one whose device is simulated.
fn simulate(seed: u64) -> io::Result<()> {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get().min(8));
    abi::start(Settings { threads, seed, order: seed, ..Settings::default() });
    crash::watch(|report| leave(&report))?;
    unsafe extern "C" {
        fn atexit(function: extern "C" fn()) -> c_int;
    }
    // SAFETY: `report` is a plain function. What is registered first runs last: after the program's own ends.
    unsafe { atexit(report) };
    Ok(())
}

type Main = unsafe extern "C-unwind" fn(c_int, *mut *mut c_char, *mut *mut c_void) -> c_int;

fn call_main(object: &Path, args: &[String]) -> Result<c_int, Box<dyn Error>> {
    let name = object.to_string_lossy().into_owned();
    let owned: Vec<CString> =
        std::iter::once(&name).chain(args).filter_map(|a| CString::new(a.as_str()).ok()).collect();
    let mut pointers: Vec<*mut c_char> = owned.iter().map(|a| a.as_ptr().cast_mut()).collect();
    pointers.push(std::ptr::null_mut());
    // SAFETY: the process exists for this program alone; its constructors and `main` may do what they like with it.
    unsafe {
        let library = Library::open(Some(object), RTLD_NOW | RTLD_GLOBAL)?;
        let main: libloading::os::unix::Symbol<Main> = library.get(b"main\0")?;
        let (main, arguments) = (*main, pointers.as_mut_ptr() as usize);
        let (count, mut status) = (owned.len() as c_int, 0);
        let body = || status = main(count, arguments as *mut *mut c_char, std::ptr::null_mut());
        thread::run(body)?;
        // it stays loaded: its destructors run at the end of the process
        std::mem::forget(library);
        Ok(status)
    }
}

/// Leaves the report of a program that ends by itself.
extern "C" fn report() {
    leave(&abi::finish());
}

fn leave(report: &Report) {
    if let Some(place) = std::env::var_os(REPORT_VARIABLE)
        && let Ok(text) = serde_json::to_vec(report)
    {
        let _ = fs::write(place, text);
    }
}
