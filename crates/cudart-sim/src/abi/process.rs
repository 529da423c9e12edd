//! The functions that end a process at once. They run nothing that `atexit` has registered, so the
//! report of a program that calls them would be lost.

use std::ffi::c_int;
use std::sync::OnceLock;

/// What happens before the process ends.
static BEFORE_EXIT: OnceLock<fn(c_int)> = OnceLock::new();

/// Calls `f` with the exit status when the program calls `_exit` or `_Exit`. Only the first call of
/// this function has an effect.
pub fn before_exit(f: fn(c_int)) {
    let _ = BEFORE_EXIT.set(f);
}

/// The C library itself ends a process without calling this function, so `exit` is not affected.
#[unsafe(no_mangle)]
pub extern "C" fn _exit(status: c_int) -> ! {
    if let Some(before) = BEFORE_EXIT.get() {
        before(status);
    }
    loop {
        // SAFETY: this ends all threads of the process, and no value has to be dropped.
        unsafe { libc::syscall(libc::SYS_exit_group, status) };
    }
}

/// C's name for the same.
#[unsafe(no_mangle)]
pub extern "C" fn _Exit(status: c_int) -> ! {
    _exit(status)
}
