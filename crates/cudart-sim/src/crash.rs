//! Signals about the program's memory: an access to pages that the device uses is noted and goes on ([`crate::guard`]); all
//! others end the process, as they do without us, but leave a last word.
//!
//! What may be done in a signal's handler is little: whoever was stopped may hold any lock. So the handler only writes down
//! what happened, wakes a thread that waits for nothing else, and gives it some time to make the report.

#![expect(unsafe_code, reason = "signals")]

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering::SeqCst};
use std::sync::{Mutex, OnceLock};

use crate::abi;
use crate::guard;
use crate::report::{Crash, PointerTarget, Report};
use crate::runtime::{Frames, frames_at, stopped};

/// Signals that end a program that has made a mistake.
const SIGNALS: [c_int; 7] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGILL,
    libc::SIGABRT,
    // a system call that is forbidden, and a file that grows beyond its limit
    libc::SIGSYS,
    libc::SIGXFSZ,
];

/// Milliseconds that the report may take.
const PATIENCE: c_int = 5_000;

/// Bytes of the stack on which signals are handled, for programs that have used up their own.
const STACK: usize = 256 << 10;

/// What the handler writes down.
static SIGNAL: AtomicI32 = AtomicI32::new(0);
static ADDRESS: AtomicU64 = AtomicU64::new(0);
static CALL: AtomicI32 = AtomicI32::new(-1);
static OVERFLOW: AtomicBool = AtomicBool::new(false);
static FRAMES: Mutex<Frames> = Mutex::new([0; 12]);
/// One crash is enough.
static CRASHED: AtomicBool = AtomicBool::new(false);
/// The handler's ends: to say that there is something, and to hear that it was told.
static WAKE: OnceLock<(OwnedFd, OwnedFd, u32)> = OnceLock::new();

/// Watches for signals from now on. When one ends the program, `tell` gets the report.
///
/// # Errors
/// When there are no pipes, threads or handlers to be had.
pub fn watch(tell: impl FnOnce(Report) + Send + 'static) -> std::io::Result<()> {
    let (wake, woken) = pipe()?;
    let (done, told) = pipe()?;
    std::thread::Builder::new().name("last words".to_owned()).spawn(move || {
        if read(&wake) {
            let report = abi::patiently(|runtime| {
                let mut report = runtime.report();
                let mut crash = runtime.crash(SIGNAL.load(SeqCst), address(), &frames());
                if OVERFLOW.load(SeqCst) {
                    crash.pointer = Some(PointerTarget::Stack);
                }
                crash.system_call = Some(CALL.load(SeqCst)).filter(|call| *call >= 0);
                report.crashed = Some(crash);
                report
            });
            tell(report.unwrap_or_else(|| Report { crashed: Some(bare()), ..Report::default() }));
            send(&told);
        }
    })?;
    if WAKE.set((woken, done, std::process::id())).is_err() {
        return Ok(());
    }
    for signal in SIGNALS {
        // SAFETY: all zeros is an action with nothing set, and the handler has the form that SA_SIGINFO demands.
        let failed = unsafe {
            let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
            action.sa_sigaction = handle as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigaction(signal, &raw const action, std::ptr::null_mut())
        };
        if failed != 0 {
            return Err(std::io::Error::last_os_error());
        }
    }
    stack();
    Ok(())
}

thread_local! {
    /// Where this thread's own stack ends.
    static END: Cell<u64> = const { Cell::new(0) };
}

/// How far beyond the end of its stack a function's first access may be: a large array of its own.
const BEYOND: u64 = 4 << 20;

/// Gives this thread a stack for signals, so that the end of its own can be told.
pub fn stack() {
    END.set(own_stack_end());
    let stack = Box::leak(vec![0_u8; STACK].into_boxed_slice());
    let new = libc::stack_t { ss_sp: stack.as_mut_ptr().cast(), ss_flags: 0, ss_size: STACK };
    // SAFETY: the stack is never freed. A failure only means that nothing is told.
    unsafe { libc::sigaltstack(&raw const new, std::ptr::null_mut()) };
}

/// The lowest address of this thread's own stack; 0 when nobody knows.
fn own_stack_end() -> u64 {
    let mut end = std::ptr::null_mut();
    let mut bytes = 0;
    // SAFETY: the attributes are made by the first call, read by the second, and freed by the third.
    unsafe {
        let mut attributes = MaybeUninit::uninit();
        if libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) != 0 {
            return 0;
        }
        libc::pthread_attr_getstack(attributes.as_ptr(), &raw mut end, &raw mut bytes);
        libc::pthread_attr_destroy(attributes.as_mut_ptr());
    }
    end as u64
}

fn address() -> Option<u64> {
    let about = [libc::SIGSEGV, libc::SIGBUS].contains(&SIGNAL.load(SeqCst));
    about.then(|| ADDRESS.load(SeqCst))
}

fn frames() -> Frames {
    FRAMES.lock().map_or([0; 12], |frames| *frames)
}

/// What is known without the runtime.
fn bare() -> Crash {
    let at = stopped(&frames());
    Crash { signal: SIGNAL.load(SeqCst), address: address(), at, pointer: None, system_call: None }
}

/// The handler. Returning from it tries the instruction again: with the pages open, or with the signal's usual end.
extern "C" fn handle(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes both to a handler with SA_SIGINFO.
    let (address, at, write) = unsafe {
        let (at, write) = instruction(&*context.cast::<libc::ucontext_t>());
        ((*info).si_addr() as u64, at, write)
    };
    if signal == libc::SIGSEGV && guard::hit(address, write, || frames_at(at)) {
        return;
    }
    if let Some((wake, told, process)) = WAKE.get()
        && *process == std::process::id()
        && !CRASHED.swap(true, SeqCst)
    {
        SIGNAL.store(signal, SeqCst);
        ADDRESS.store(address, SeqCst);
        CALL.store(refused(signal, info).unwrap_or(-1), SeqCst);
        let end = END.get();
        let near = (end.saturating_sub(BEYOND)..end + 4096).contains(&address);
        OVERFLOW.store(signal == libc::SIGSEGV && end > 0 && near, SeqCst);
        if let Ok(mut frames) = FRAMES.try_lock() {
            *frames = frames_at(at);
        }
        send(wake);
        let mut wait = libc::pollfd { fd: told.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one descriptor, which is open as long as the process.
        unsafe { libc::poll(&raw mut wait, 1, PATIENCE) };
    }
    // SAFETY: the default action is always allowed; a signal that somebody sent does not come again by itself.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        if (*info).si_code <= 0 || signal == libc::SIGSYS {
            libc::raise(signal);
        }
    }
}

/// The number of the system call that a filter refused; `None` when that is not what happened.
fn refused(signal: c_int, info: *mut libc::siginfo_t) -> Option<i32> {
    /// `SYS_SECCOMP` of asm-generic/siginfo.h.
    const BY_A_FILTER: c_int = 1;
    /// Where `si_syscall` lies: behind three words of an `int`, padding, and `si_call_addr`.
    const AT: usize = 24;
    // SAFETY: the kernel fills 128 bytes; for SIGSYS with this code those fields are there (sigaction(2)).
    unsafe {
        let by_a_filter = signal == libc::SIGSYS && (*info).si_code == BY_A_FILTER;
        by_a_filter.then(|| info.cast::<u8>().add(AT).cast::<i32>().read())
    }
}

/// Which instruction was stopped, and was it a write?
#[cfg(target_arch = "x86_64")]
fn instruction(context: &libc::ucontext_t) -> (usize, bool) {
    let registers = &context.uc_mcontext.gregs;
    let at = registers[libc::REG_RIP as usize] as usize;
    // bit 1 of the page fault's error code (Intel SDM, volume 3, "Page-Fault Exceptions")
    (at, registers[libc::REG_ERR as usize] & 2 != 0)
}

#[cfg(target_arch = "aarch64")]
fn instruction(context: &libc::ucontext_t) -> (usize, bool) {
    // what was done is not told; a closed page that may be read can only have been written
    (context.uc_mcontext.pc as usize, false)
}

fn pipe() -> std::io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    // SAFETY: room for two descriptors, which are owned by nobody else.
    unsafe {
        if libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) != 0 {
            return Err(std::io::Error::last_os_error());
        }
        Ok((OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])))
    }
}

/// Waits for a byte; false when there is none any more.
fn read(from: &OwnedFd) -> bool {
    let mut byte = 0_u8;
    // SAFETY: room for one byte.
    unsafe { libc::read(from.as_raw_fd(), (&raw mut byte).cast(), 1) == 1 }
}

fn send(to: &OwnedFd) {
    // SAFETY: one byte that exists.
    unsafe { libc::write(to.as_raw_fd(), [1_u8].as_ptr().cast(), 1) };
}
