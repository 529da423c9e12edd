//! The process in which a program runs: it exports the functions of the CUDA runtime, loads the program, calls its
//! `main`, and leaves a report when it ends, in whichever way it ends by itself.

#![expect(unsafe_code, reason = "loading a program and calling it")]

use std::ffi::{CString, c_char, c_int, c_void};
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use cudart_sim::abi;
use cudart_sim::runtime::Settings;
use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};

use super::REPORT_VARIABLE;

/// The hidden subcommand `checker program`: becomes the program.
pub fn serve(object: &Path, args: &[String]) -> ExitCode {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get().min(8));
    abi::start(Settings { threads, ..Settings::default() });
    unsafe extern "C" {
        fn atexit(function: extern "C" fn()) -> c_int;
        fn exit(status: c_int) -> !;
    }
    // SAFETY: `report` is a plain function. What is registered first runs last: after the program's own ends.
    unsafe { atexit(report) };
    match call_main(object, args) {
        // SAFETY: ends the process as returning from `main` does; nothing of ours is left to be dropped.
        Ok(status) => unsafe { exit(status) },
        Err(error) => {
            eprintln!("error: the program cannot be loaded: {error}");
            ExitCode::from(crate::exit::ENVIRONMENT)
        }
    }
}

type Main = unsafe extern "C" fn(c_int, *mut *mut c_char, *mut *mut c_void) -> c_int;

fn call_main(object: &Path, args: &[String]) -> Result<c_int, libloading::Error> {
    let name = object.to_string_lossy().into_owned();
    let owned: Vec<CString> =
        std::iter::once(&name).chain(args).filter_map(|a| CString::new(a.as_str()).ok()).collect();
    let mut pointers: Vec<*mut c_char> = owned.iter().map(|a| a.as_ptr().cast_mut()).collect();
    pointers.push(std::ptr::null_mut());
    // SAFETY: the process exists for this program alone; its constructors and `main` may do what they like with it.
    unsafe {
        let library = Library::open(Some(object), RTLD_NOW | RTLD_GLOBAL)?;
        let main: libloading::os::unix::Symbol<Main> = library.get(b"main\0")?;
        let status = main(owned.len() as c_int, pointers.as_mut_ptr(), std::ptr::null_mut());
        // it stays loaded: its destructors run at the end of the process
        std::mem::forget(library);
        Ok(status)
    }
}

/// Leaves the report.
extern "C" fn report() {
    let report = abi::finish();
    if let Some(place) = std::env::var_os(REPORT_VARIABLE)
        && let Ok(text) = serde_json::to_vec(&report)
    {
        let _ = fs::write(place, text);
    }
}
