//! A thread for the program alone.
//!
//! An exception that the program does not catch must end the process in C++'s own way, which names it. In a thread of
//! Rust's, and in `main`, it would first meet a frame of Rust that catches everything, and only the abort would show.

#![expect(unsafe_code, reason = "a thread without a frame of Rust that catches")]

use std::ffi::c_void;
use std::io;

/// Runs `body` to its end. It must own nothing that an exception passing through would have to drop.
///
/// # Errors
/// When no thread can be made.
pub fn run<F: FnOnce() + Send>(body: F) -> io::Result<()> {
    let mut body = Some(body);
    let mut thread = 0;
    let data: *mut Option<F> = &raw mut body;
    type Start = extern "C" fn(*mut c_void) -> *mut c_void;
    let start: extern "C-unwind" fn(*mut c_void) -> *mut c_void = start::<F>;
    // SAFETY: the conventions differ only in what may pass through, and what passes ends in the C library's own frame,
    // where C++ terminates. `body` lives until the thread is joined.
    let (made, joined) = unsafe {
        let start: Start = std::mem::transmute(start);
        match libc::pthread_create(&raw mut thread, std::ptr::null(), start, data.cast()) {
            0 => (0, libc::pthread_join(thread, std::ptr::null_mut())),
            failed => (failed, 0),
        }
    };
    match made.max(joined) {
        0 => Ok(()),
        code => Err(io::Error::from_raw_os_error(code)),
    }
}

extern "C-unwind" fn start<F: FnOnce()>(data: *mut c_void) -> *mut c_void {
    cudart_sim::crash::install_stack();
    // SAFETY: `run` passes its own `body`, which nobody else touches before the thread has ended.
    if let Some(body) = unsafe { (*data.cast::<Option<F>>()).take() } {
        body();
    }
    std::ptr::null_mut()
}
