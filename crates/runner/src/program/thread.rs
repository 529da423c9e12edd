//! A thread that runs only the program.
//!
//! An exception that the program does not catch must end the process as in a C++ program, with a
//! message that names the exception. In a thread of Rust's standard library, and in `main`, it
//! would first reach a frame of Rust that catches everything, so the process would abort without
//! that message.

#![expect(unsafe_code, reason = "a thread without a frame of Rust that catches exceptions")]

use std::ffi::c_void;
use std::io;

/// Bytes of the stack between the program's frames and the thread's own data.
const ROOM_BYTES: usize = 64 << 10;

/// Bytes of the stack that hold a known value before the program uses them.
const FILLED_BYTES: usize = 64 << 10;

/// The value of each of these bytes. As a pointer, it is one that no object has.
const UNSET: u8 = 0x5c;

/// Runs `body` and waits for its end. An exception may unwind through `body`, so it must not own
/// anything that has to be dropped.
///
/// # Errors
/// If the thread cannot be created.
pub fn run<F: FnOnce() + Send>(body: F) -> io::Result<()> {
    let mut body = Some(body);
    let mut thread = 0;
    let data: *mut Option<F> = &raw mut body;
    type Start = extern "C" fn(*mut c_void) -> *mut c_void;
    let start: extern "C-unwind" fn(*mut c_void) -> *mut c_void = start::<F>;
    // SAFETY: the two types of functions differ only in whether an exception may leave them. One
    // that does reaches the C library's frame, where C++ terminates the process. `body` lives until
    // the thread is joined.
    let (created, joined) = unsafe {
        let start: Start = std::mem::transmute(start);
        match libc::pthread_create(&raw mut thread, std::ptr::null(), start, data.cast()) {
            0 => (0, libc::pthread_join(thread, std::ptr::null_mut())),
            failed => (failed, 0),
        }
    };
    match created.max(joined) {
        0 => Ok(()),
        code => Err(io::Error::from_raw_os_error(code)),
    }
}

extern "C-unwind" fn start<F: FnOnce()>(data: *mut c_void) -> *mut c_void {
    cudart_sim::crash::install_stack();
    // SAFETY: `run` passes its own `body`, and does not access it before the thread has ended.
    if let Some(body) = unsafe { (*data.cast::<Option<F>>()).take() } {
        // A program that writes beyond its own variables on the stack reaches this room, and not
        // the thread's own data at the end, without which a crash could not be reported.
        let room = std::hint::black_box([0_u8; ROOM_BYTES]);
        fill_stack();
        body();
        std::hint::black_box(&room);
    }
    std::ptr::null_mut()
}

/// Fills the stack where the program's variables will be. What a program does with a variable that
/// it has never set is then the same in each run, and doesn't depend on the checker's own build.
#[inline(never)]
fn fill_stack() {
    std::hint::black_box(&mut [UNSET; FILLED_BYTES]);
}

#[cfg(test)]
mod tests {
    use std::arch::asm;

    use super::*;

    /// Bytes of the stack of a function that has set none of its variables.
    #[inline(never)]
    fn unset() -> [u8; 1024] {
        let mut bytes = [0; 1024];
        for (i, byte) in bytes.iter_mut().enumerate() {
            let offset = 4096 + i;
            // SAFETY: it reads the thread's own stack, below this function's frame, and the stack
            // is much larger.
            #[cfg(target_arch = "x86_64")]
            unsafe {
                asm!(
                    "mov {at}, rsp", "sub {at}, {offset}", "mov {byte}, byte ptr [{at}]",
                    at = out(reg) _, offset = in(reg) offset, byte = out(reg_byte) *byte,
                    options(nostack, readonly),
                );
            }
            // SAFETY: as above.
            #[cfg(target_arch = "aarch64")]
            unsafe {
                let value: u64;
                asm!(
                    "mov {at}, sp", "sub {at}, {at}, {offset}", "ldrb {value:w}, [{at}]",
                    at = out(reg) _, offset = in(reg) offset, value = out(reg) value,
                    options(nostack, readonly),
                );
                *byte = value as u8;
            }
        }
        bytes
    }

    /// A program's variables have a known value before the program sets them.
    #[test]
    fn the_stack_is_filled() {
        let mut seen = [0; 1024];
        run(|| seen = unset()).expect("a thread");
        assert_eq!(seen, [UNSET; 1024]);
    }
}
