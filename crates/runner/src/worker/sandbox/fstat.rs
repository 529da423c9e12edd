//! `fstat` without `newfstatat`.
//!
//! Landlock lets every process ask for the size and the times of every file by its path. The C
//! library needs the same call for open files, with an empty path, and a filter cannot read paths.
//! So the call becomes a signal (`SIGSYS`) whose handler reads the path and, if it is empty, asks
//! by `fstat`, which takes no path. Every other refused call ends the process with a report. A
//! program cannot replace the handler, because a filter refuses that.

#![expect(unsafe_code, reason = "a signal handler")]

use std::ffi::{c_char, c_int, c_void};
use std::mem::MaybeUninit;

use super::calls::{Rules, all};

/// The calls that become a signal.
pub(super) fn replaced() -> Rules {
    all(&[libc::SYS_newfstatat])
}

/// Installs the handler. A call with a path fails like one that the filter refuses.
pub(super) fn install() -> Result<(), String> {
    // SAFETY: an action of zeros has nothing set, and the handler has the signature that SA_SIGINFO
    // demands.
    let failed = unsafe {
        let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
        action.sa_sigaction = handle as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigaction(libc::SIGSYS, &raw const action, std::ptr::null_mut())
    };
    if failed != 0 {
        return Err(format!("a signal handler: {}", std::io::Error::last_os_error()));
    }
    Ok(())
}

/// Answers the call. Any other `SIGSYS` is reported and ends the process.
extern "C" fn handle(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes both to a handler with SA_SIGINFO.
    let replaced = unsafe { cudart_sim::crash::refused_call(signal, info) };
    if replaced.map(i64::from) != Some(libc::SYS_newfstatat) {
        // SAFETY: as above.
        return unsafe { cudart_sim::crash::handle(signal, info, context) };
    }
    // SAFETY: as above.
    let mut registers = unsafe { Registers::of(&mut *context.cast::<libc::ucontext_t>()) };
    // SAFETY: the path and the buffer are those of the interrupted code. If they are not readable
    // and writable, the process ends by another signal, or the call fails.
    let result = unsafe {
        let path = registers.arguments[1] as *const c_char;
        let by_descriptor = registers.arguments[3] & libc::AT_EMPTY_PATH as u64 != 0;
        if by_descriptor && (path.is_null() || *path == 0) {
            let errno = libc::__errno_location();
            let before = *errno;
            let [descriptor, _, buffer, _] = registers.arguments;
            let failed = libc::syscall(libc::SYS_fstat, descriptor as c_int, buffer) != 0;
            let result = if failed { -*errno } else { 0 };
            *errno = before;
            result
        } else {
            -libc::EPERM
        }
    };
    registers.set_result(result);
}

/// The registers of the interrupted call.
struct Registers<'c> {
    arguments: [u64; 4],
    #[cfg(target_arch = "x86_64")]
    result: &'c mut libc::greg_t,
    #[cfg(target_arch = "aarch64")]
    result: &'c mut u64,
}

#[cfg(target_arch = "x86_64")]
impl<'c> Registers<'c> {
    fn of(context: &'c mut libc::ucontext_t) -> Self {
        let all = &mut context.uc_mcontext.gregs;
        let at = [libc::REG_RDI, libc::REG_RSI, libc::REG_RDX, libc::REG_R10];
        let arguments = at.map(|register| all[register as usize] as u64);
        Self { arguments, result: &mut all[libc::REG_RAX as usize] }
    }

    fn set_result(&mut self, result: c_int) {
        *self.result = result.into();
    }
}

#[cfg(target_arch = "aarch64")]
impl<'c> Registers<'c> {
    fn of(context: &'c mut libc::ucontext_t) -> Self {
        let all = &mut context.uc_mcontext.regs;
        Self { arguments: [all[0], all[1], all[2], all[3]], result: &mut all[0] }
    }

    fn set_result(&mut self, result: c_int) {
        *self.result = i64::from(result).cast_unsigned();
    }
}
