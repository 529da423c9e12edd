//! Signals. An access to pages that the device uses is recorded, and the program continues
//! ([`crate::guard`]). All other signals end the process, as they would without the runtime, but
//! first a report is made.
//!
//! A signal handler may do very little, because the interrupted thread may hold any lock. So the
//! handler only stores what happened, wakes a thread that waits for this, and gives it some time to
//! make the report.

#![expect(unsafe_code, reason = "signals")]

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering::SeqCst};
use std::sync::{Mutex, OnceLock};

use crate::abi;
use crate::device;
use crate::guard::{self, Action};
use crate::report::{Crash, PointerTarget, Report};
use crate::runtime::{Frames, MAX_FRAMES, ProgramFrames, innermost_line};
use crate::start;

/// The signals that end a program which made a mistake.
const SIGNALS: [c_int; 8] = [
    libc::SIGSEGV,
    // the end of a single step, or a breakpoint
    libc::SIGTRAP,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGILL,
    libc::SIGABRT,
    // a forbidden system call, and a file that is larger than the limit
    libc::SIGSYS,
    libc::SIGXFSZ,
];

/// How long the handler waits for the report, in milliseconds.
const REPORT_LIMIT_MS: c_int = 5_000;

/// Bytes of the stack for signal handlers, which is needed when a program has used up its own.
const SIGNAL_STACK_BYTES: usize = 256 << 10;

/// What the handler stores: the signal, the address, the refused system call or -1, and whether the
/// stack overflowed.
static SIGNAL: AtomicI32 = AtomicI32::new(0);
static ADDRESS: AtomicU64 = AtomicU64::new(0);
/// Did the program send itself the signal?
static RAISED: AtomicBool = AtomicBool::new(false);
static SYSTEM_CALL: AtomicI32 = AtomicI32::new(-1);
static OVERFLOW: AtomicBool = AtomicBool::new(false);
static FRAMES: Mutex<Frames> = Mutex::new([0; MAX_FRAMES]);
/// Has a signal been handled already? Only the first one is reported.
static CRASHED: AtomicBool = AtomicBool::new(false);
thread_local! {
    /// Does the handler read this thread's stack? The program may have written over it, and then
    /// reading it ends with another signal.
    static READS_STACK: Cell<bool> = const { Cell::new(false) };
}
/// The handler's ends of the pipes to and from the reporting thread.
static CHANNEL: OnceLock<Channel> = OnceLock::new();

struct Channel {
    /// Wakes the reporting thread.
    wake: OwnedFd,
    /// Becomes readable when the report has been made.
    reported: OwnedFd,
    /// The process that started the thread. Its children do not have the thread.
    process: u32,
}

/// Reports crashes. If a signal ends the program, `on_crash` is called with the report.
///
/// # Errors
/// If a pipe, a thread or a handler cannot be created.
pub fn watch(on_crash: impl FnOnce(Report) + Send + 'static) -> std::io::Result<()> {
    let (woken, wake) = pipe()?;
    let (reported, done) = pipe()?;
    start::thread("crash report", move || {
        if read(&woken) {
            let report = abi::try_with(|runtime| {
                let raised = RAISED.load(SeqCst);
                let mut crash = runtime.crash(SIGNAL.load(SeqCst), raised, address(), &frames());
                runtime.perform_after_crash();
                let mut report = runtime.report();
                if OVERFLOW.load(SeqCst) {
                    crash.pointer = Some(PointerTarget::Stack);
                }
                crash.system_call = Some(SYSTEM_CALL.load(SeqCst)).filter(|call| *call >= 0);
                report.crashed = Some(crash);
                report
            });
            let without_runtime = || Report { crashed: Some(crash()), ..Report::default() };
            on_crash(report.unwrap_or_else(without_runtime));
            send(&done);
        }
    })?;
    let process = std::process::id();
    if CHANNEL.set(Channel { wake, reported, process }).is_err() {
        return Ok(());
    }
    install_handlers()
}

/// Installs the signal handlers, once for the process. A sandbox calls this before it refuses to
/// replace them. If `SIGSYS` already has a handler, this handler is kept, and has to call
/// [`handle`].
///
/// # Errors
/// If a handler cannot be installed.
pub fn install_handlers() -> std::io::Result<()> {
    static INSTALLED: AtomicBool = AtomicBool::new(false);
    if INSTALLED.swap(true, SeqCst) {
        return Ok(());
    }
    for signal in SIGNALS {
        // SAFETY: an action of zeros has nothing set, and the handler has the signature that
        // SA_SIGINFO demands.
        let failed = unsafe {
            let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
            let mut before: libc::sigaction = MaybeUninit::zeroed().assume_init();
            libc::sigaction(signal, std::ptr::null(), &raw mut before);
            if signal == libc::SIGSYS && before.sa_flags & libc::SA_SIGINFO != 0 {
                continue;
            }
            action.sa_sigaction = handle as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigaction(signal, &raw const action, std::ptr::null_mut())
        };
        if failed != 0 {
            return Err(std::io::Error::last_os_error());
        }
    }
    install_stack();
    Ok(())
}

thread_local! {
    /// The lowest address of this thread's stack.
    static STACK_END: Cell<u64> = const { Cell::new(0) };
}

/// How many bytes beyond the end of the stack a function's first access may be, if the function has
/// a large array.
const MAX_OVERFLOW_BYTES: u64 = 4 << 20;

/// Gives this thread a stack for signal handlers, so that an overflow of its own stack can be
/// reported.
pub fn install_stack() {
    STACK_END.set(own_stack_end());
    let stack = Box::leak(vec![0_u8; SIGNAL_STACK_BYTES].into_boxed_slice());
    let new = libc::stack_t {
        ss_sp: stack.as_mut_ptr().cast(),
        ss_flags: 0,
        ss_size: SIGNAL_STACK_BYTES,
    };
    // SAFETY: the stack is never freed. A failure only means that an overflow is not reported.
    unsafe { libc::sigaltstack(&raw const new, std::ptr::null_mut()) };
}

/// The lowest address of this thread's own stack; 0 if it is unknown.
fn own_stack_end() -> u64 {
    let mut end = std::ptr::null_mut();
    let mut bytes = 0;
    // SAFETY: the first call creates the attributes, the second reads them, and the third frees
    // them.
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

/// An address that nothing has. The processor does not say which address it was if no process could
/// have it (Intel SDM, volume 1, "Canonical Addressing"), and the kernel then reports 0.
const UNKNOWN_ADDRESS: u64 = u64::MAX;

/// `SI_KERNEL` of asm-generic/siginfo.h: the kernel cannot say more about the signal's reason.
const SI_KERNEL: c_int = 0x80;

/// The address that the signal is about, if it is one about memory.
fn address() -> Option<u64> {
    let about_memory = [libc::SIGSEGV, libc::SIGBUS].contains(&SIGNAL.load(SeqCst));
    (about_memory && !RAISED.load(SeqCst)).then(|| ADDRESS.load(SeqCst))
}

fn frames() -> Frames {
    FRAMES.lock().map_or([0; MAX_FRAMES], |frames| *frames)
}

/// The crash, as far as it can be described without the runtime.
fn crash() -> Crash {
    let at = innermost_line(&frames());
    Crash {
        signal: SIGNAL.load(SeqCst),
        raised: RAISED.load(SeqCst),
        address: address(),
        at,
        pointer: None,
        system_call: None,
    }
}

/// The handler. When it returns, the instruction is tried again: either the pages are open now, or
/// the signal has its default action and ends the process.
///
/// # Safety
/// `info` and `context` are what the kernel has passed to a handler of `signal` with SA_SIGINFO.
pub unsafe extern "C" fn handle(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes both to a handler with SA_SIGINFO.
    let (address, at, write) = unsafe {
        let (at, write) = instruction(&*context.cast::<libc::ucontext_t>());
        let known = (*info).si_code != SI_KERNEL;
        (if known { (*info).si_addr() as u64 } else { UNKNOWN_ADDRESS }, at, write)
    };
    // SAFETY: as above.
    let refused = unsafe { refused_call(signal, info) };
    // SAFETY: as above.
    let context = unsafe { &mut *context.cast::<libc::ucontext_t>() };
    if signal == libc::SIGTRAP && guard::step_ended() {
        set_single_step(context, false);
        return;
    }
    if signal == libc::SIGSEGV
        && let Some(action) = guard::hit(address, write, at, || frames_at(at))
    {
        // a thread that uses the runtime cannot wait for the device
        if action == Action::Poll && !abi::in_runtime() {
            device::poll(address);
        }
        if action != Action::Continue {
            set_single_step(context, true);
        }
        return;
    }
    if let Some(channel) = CHANNEL.get()
        && channel.process == std::process::id()
        && !CRASHED.swap(true, SeqCst)
    {
        SIGNAL.store(signal, SeqCst);
        ADDRESS.store(address, SeqCst);
        // SAFETY: as above. A signal of the processor has a positive code, and one that a process
        // sends has not (sigaction(2)).
        RAISED.store(unsafe { (*info).si_code } <= 0, SeqCst);
        SYSTEM_CALL.store(refused.unwrap_or(-1), SeqCst);
        let end = STACK_END.get();
        let near = (end.saturating_sub(MAX_OVERFLOW_BYTES)..end + 4096).contains(&address);
        OVERFLOW.store(signal == libc::SIGSEGV && end > 0 && near, SeqCst);
        // what is known without the stack
        store_frames(interrupted(at));
        READS_STACK.set(true);
        allow_nested();
        let frames = frames_at(at);
        READS_STACK.set(false);
        store_frames(frames);
        wait_for_report(channel);
    } else if READS_STACK.replace(false)
        && let Some(channel) = CHANNEL.get()
    {
        wait_for_report(channel);
    }
    // SAFETY: as above.
    let again = unsafe { (*info).si_code > 0 } && signal != libc::SIGSYS;
    end(signal, again);
}

/// Gives a signal its default action, which ends the process. A signal does not occur again by
/// itself if a process has sent it, so it is raised then.
fn end(signal: c_int, occurs_again: bool) {
    /// No process can have this address: it is in the gap between those of processes and those of
    /// the kernel.
    const IMPOSSIBLE_ADDRESS: usize = 1 << 63;
    // SAFETY: the default action can be set, or the call fails. The last calls end the process.
    unsafe {
        if libc::signal(signal, libc::SIG_DFL) != libc::SIG_ERR {
            if !occurs_again {
                libc::raise(signal);
            }
            return;
        }
        // A sandbox refuses to replace the handlers of SIGSYS and SIGSEGV. If a filter or the
        // processor causes a signal that is blocked, the kernel takes the default action.
        let mut set = MaybeUninit::<libc::sigset_t>::zeroed().assume_init();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, signal);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut());
        if signal == libc::SIGSYS {
            // no sandbox allows this call, and without one this request does not exist
            libc::syscall(libc::SYS_ptrace, -1_i64, 0_i64, 0_i64, 0_i64);
        }
        std::ptr::without_provenance::<u8>(IMPOSSIBLE_ADDRESS).read_volatile();
    }
}

/// The frames of the code at `at`, without the functions that called it. Debug information is
/// looked up one byte before a return address, so the interrupted address needs one more byte.
fn interrupted(at: usize) -> Frames {
    let mut found = Frames::default();
    found[0] = at + 1;
    found
}

/// The return addresses of the code at `at`, which a signal has interrupted.
fn frames_at(at: usize) -> Frames {
    let mut program = ProgramFrames::default();
    // SAFETY: walking a stack changes nothing that other threads use. The lock of the synchronised
    // function must not be held when the stack turns out to be unreadable, because the reporting
    // thread needs it.
    unsafe { backtrace::trace_unsynchronized(|frame| program.add(frame.ip() as usize)) };
    let all = program.found;
    let mut found = interrupted(at);
    // `at` is not among them if the signal interrupted a function of the runtime
    let position = all.iter().position(|address| *address == at);
    let outer = all.iter().skip(position.map_or(0, |i| i + 1));
    found.iter_mut().skip(1).zip(outer).for_each(|(to, from)| *to = *from);
    found
}

fn store_frames(frames: Frames) {
    if let Ok(mut stored) = FRAMES.try_lock() {
        *stored = frames;
    }
}

/// Lets a signal about memory interrupt the handler.
fn allow_nested() {
    // SAFETY: a set of signals is filled before it is used, and only this thread's mask changes.
    unsafe {
        let mut set = MaybeUninit::<libc::sigset_t>::zeroed().assume_init();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, libc::SIGSEGV);
        libc::sigaddset(&raw mut set, libc::SIGBUS);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const set, std::ptr::null_mut());
    }
}

/// Wakes the reporting thread, and waits until it has made the report.
fn wait_for_report(channel: &Channel) {
    send(&channel.wake);
    let fd = channel.reported.as_raw_fd();
    let mut wait = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    // SAFETY: there is one descriptor, which stays open as long as the process.
    unsafe { libc::poll(&raw mut wait, 1, REPORT_LIMIT_MS) };
}

/// The number of the system call that a seccomp filter refused; `None` if the signal has another
/// reason.
///
/// # Safety
/// `info` is what the kernel has passed to a handler of `signal`.
pub unsafe fn refused_call(signal: c_int, info: *mut libc::siginfo_t) -> Option<i32> {
    /// `SYS_SECCOMP` of asm-generic/siginfo.h.
    const SYS_SECCOMP: c_int = 1;
    /// The offset of `si_syscall`: it follows three `int`s, padding, and `si_call_addr`.
    const SYSCALL_OFFSET: usize = 24;
    // SAFETY: the structure has 128 bytes, and for SIGSYS with this code it has those fields
    // (sigaction(2)).
    unsafe {
        let by_filter = signal == libc::SIGSYS && (*info).si_code == SYS_SECCOMP;
        by_filter.then(|| info.cast::<u8>().add(SYSCALL_OFFSET).cast::<i32>().read())
    }
}

/// The address of the interrupted instruction, and whether it was a write.
#[cfg(target_arch = "x86_64")]
fn instruction(context: &libc::ucontext_t) -> (usize, bool) {
    let registers = &context.uc_mcontext.gregs;
    let at = registers[libc::REG_RIP as usize] as usize;
    // bit 1 of the page fault's error code (Intel SDM, volume 3, "Page-Fault Exceptions")
    (at, registers[libc::REG_ERR as usize] & 2 != 0)
}

#[cfg(target_arch = "aarch64")]
fn instruction(context: &libc::ucontext_t) -> (usize, bool) {
    // the kernel does not say which it was; an access to a page that is open for reading must have
    // been a write
    (context.uc_mcontext.pc as usize, false)
}

/// Should the processor signal the end of the next instruction?
#[cfg(target_arch = "x86_64")]
fn set_single_step(context: &mut libc::ucontext_t, on: bool) {
    /// The trap flag (Intel SDM, volume 1, "EFLAGS Register").
    const TRAP: libc::greg_t = 1 << 8;
    let flags = &mut context.uc_mcontext.gregs[libc::REG_EFL as usize];
    *flags = if on { *flags | TRAP } else { *flags & !TRAP };
}

#[cfg(not(target_arch = "x86_64"))]
fn set_single_step(_: &mut libc::ucontext_t, _: bool) {}

/// A pipe's reading and writing end.
fn pipe() -> std::io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    // SAFETY: `ends` has room for two descriptors, and nothing else owns them.
    unsafe {
        if libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) != 0 {
            return Err(std::io::Error::last_os_error());
        }
        Ok((OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])))
    }
}

/// Waits for a byte. Returns false when the other end is closed.
fn read(from: &OwnedFd) -> bool {
    let mut byte = 0_u8;
    // SAFETY: there is room for one byte.
    unsafe { libc::read(from.as_raw_fd(), (&raw mut byte).cast(), 1) == 1 }
}

fn send(to: &OwnedFd) {
    // SAFETY: the array has one byte.
    unsafe { libc::write(to.as_raw_fd(), [1_u8].as_ptr().cast(), 1) };
}
