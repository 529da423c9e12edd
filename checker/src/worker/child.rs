//! The child process: takes one job after another from its standard input.
//!
//! Before anything else it moves its standard output to a private descriptor, for answers only, and puts the captured
//! file in its place. What a kernel, the driver or a library prints can then never pass for an answer.

use std::io::{self, Read};
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::{self, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::Role;
use super::process::{
    MEMORY_VARIABLE, OWN_VARIABLE, READABLE_VARIABLE, ROLE_VARIABLE, SANDBOX_VARIABLE,
};
use super::sandbox::{self, Confined, Sandbox, limits};
use super::wire::{self, Json, Reply, Request};
use crate::backend::gpu::Gpu;
use crate::backend::sim::Simulator;
use crate::backend::{Backend, Call, Error, NoGpu};
use crate::compile::{nvcc, nvrtc};
#[cfg(target_os = "linux")]
use crate::program;

/// How long a child may go on working when the checker is gone.
const ORPHAN_LIMIT: Duration = Duration::from_millis(500);

/// The hidden subcommand `checker worker`: serves one checker until that closes the pipe or the device is lost.
pub fn serve() -> ExitCode {
    let role = std::env::var(ROLE_VARIABLE).ok().and_then(|role| Role::parse(&role));
    let Some(role) = role else {
        eprintln!(
            "error: `checker worker` is a part of the checker that only the checker itself starts"
        );
        return ExitCode::from(2);
    };
    let mut jobs = Jobs {
        role,
        backend: None,
        #[cfg(target_os = "linux")]
        program: program::Job::new(role == Role::Program, last_words),
    };
    serve_with(role, |request| jobs.answer(request))
}

/// Serves with any function that answers.
pub(super) fn serve_with(
    role: Role,
    mut answer: impl FnMut(Request<'static>) -> Reply,
) -> ExitCode {
    let memory = std::env::var(MEMORY_VARIABLE).ok().and_then(|bytes| bytes.parse().ok());
    limits::set(role, memory.unwrap_or(limits::MEMORY));
    let (Ok(stdin), Ok(mut private)) = (take_stdin(), take_stdout()) else {
        return ExitCode::from(3);
    };
    #[cfg(target_os = "linux")]
    if let Ok(copy) = private.try_clone() {
        let _ = ANSWERS.set(copy);
    }
    remember_panics();
    let confined = confine(role);
    let (to, requests) = mpsc::channel();
    thread::spawn(move || read_requests(stdin, to));
    for mut payload in requests {
        let request = wire::decode(&payload);
        // a program that searches memory finds no call's token here
        payload.fill(0);
        std::hint::black_box(&mut payload);
        drop(payload);
        let reply = match request {
            Ok(Request::Confined) => Reply::Confined(confined.clone().unwrap_or_else(|none| none)),
            Ok(request) => match &confined {
                Ok(_) => panic::catch_unwind(AssertUnwindSafe(|| answer(request)))
                    .unwrap_or_else(|_| Reply::Bug("a panic in the worker".into())),
                Err(none) => Reply::NoSandbox(none.missing.clone().unwrap_or_default()),
            },
            Err(error) => Reply::Bug(format!("the worker cannot read its job: {error}")),
        };
        let reply = with_panic(reply);
        flush_c_streams();
        let frame = wire::encode(&reply).or_else(|e| wire::encode(&Reply::Bug(e.to_string())));
        let sent = frame.is_ok_and(|frame| wire::send(&mut private, &frame).is_ok());
        if !sent || reply.is_last() {
            break;
        }
    }
    ExitCode::SUCCESS
}

/// Gives up what this role does not need. The error is that nothing may run here, because that is not possible.
fn confine(role: Role) -> Result<Confined, Confined> {
    let mode = std::env::var(SANDBOX_VARIABLE).ok().and_then(|mode| Sandbox::parse(&mode));
    let mode = mode.unwrap_or(Sandbox::Off);
    if mode == Sandbox::Off {
        return Ok(Confined::default());
    }
    let readable = std::env::var_os(READABLE_VARIABLE).unwrap_or_default();
    let readable: Vec<_> = std::env::split_paths(&readable).collect();
    let own = std::env::var_os(OWN_VARIABLE).map(std::path::PathBuf::from);
    let confined = sandbox::confine(role, &readable, own.as_deref());
    if mode == Sandbox::Require && !confined.holds() { Err(confined) } else { Ok(confined) }
}

/// Where answers go, for a program that a signal ends in the middle of its call.
#[cfg(target_os = "linux")]
static ANSWERS: std::sync::OnceLock<std::fs::File> = std::sync::OnceLock::new();

/// The token of the call, for the same.
#[cfg(target_os = "linux")]
static TOKEN: Mutex<Option<wire::Token>> = Mutex::new(None);

/// Answers from another thread, while the one that should is stopped for good.
#[cfg(target_os = "linux")]
fn last_words(run: crate::backend::Run) {
    flush_c_streams();
    let Some(token) = *TOKEN.lock().unwrap_or_else(PoisonError::into_inner) else { return };
    let reply = Reply::Called { token, run: Box::new(run.into()), last: true };
    if let (Some(mut answers), Ok(frame)) = (ANSWERS.get(), wire::encode(&reply)) {
        let _ = wire::send(&mut answers, &frame);
    }
}

/// What a child of the real checker does.
struct Jobs {
    role: Role,
    backend: Option<Engine>,
    #[cfg(target_os = "linux")]
    program: program::Job,
}

/// The backend of this child, once there is one.
enum Engine {
    Gpu(Gpu),
    Sim(Box<Simulator>),
}

impl Jobs {
    fn answer(&mut self, request: Request<'static>) -> Reply {
        match request {
            Request::Compile { toolchain, source, file, options } => {
                Reply::Compiled(nvrtc::compile(&toolchain, &source, &file, &options))
            }
            Request::Build { toolchain, source, file, options } => {
                Reply::Built(nvcc::compile(&toolchain, &source, &file, &options))
            }
            Request::Call { object, call, token } => self.call(&object, &call, token),
            Request::Confined => Reply::Bug("asked in the wrong place".into()),
            Request::Gpu => match self.engine() {
                Ok(Engine::Gpu(gpu)) => Reply::Gpu(gpu.info().clone()),
                Ok(Engine::Sim(_)) => {
                    Reply::Bug("the simulating worker was asked for a GPU".into())
                }
                Err(no_gpu) => Reply::NoGpu(no_gpu),
            },
            Request::Trace { ptx, launch, thread } => {
                let sim = match self.engine() {
                    Ok(Engine::Sim(sim)) => sim,
                    Ok(Engine::Gpu(_)) => {
                        return Reply::Bug("the worker of the GPU was asked for a trace".into());
                    }
                    Err(no_gpu) => return Reply::NoGpu(no_gpu),
                };
                sim.load(ptx.into_owned());
                match sim.trace(&launch, &thread) {
                    Ok((run, trace)) => {
                        Reply::Traced { run: Box::new(run.into()), trace: Json(trace) }
                    }
                    Err(Error::NoGpu(no_gpu)) => Reply::NoGpu(no_gpu),
                    Err(Error::Bug(text)) => Reply::Bug(text),
                }
            }
            Request::Run { ptx, launch } => {
                let backend: &mut dyn Backend = match self.engine() {
                    Ok(Engine::Gpu(gpu)) => gpu,
                    Ok(Engine::Sim(sim)) => sim.as_mut(),
                    Err(no_gpu) => return Reply::NoGpu(no_gpu),
                };
                if let Some(ptx) = ptx {
                    backend.load(ptx.into_owned());
                }
                match backend.run(&launch) {
                    Ok(run) => Reply::Ran { run: Box::new(run.into()), last: !backend.healthy() },
                    Err(Error::NoGpu(no_gpu)) => Reply::NoGpu(no_gpu),
                    Err(Error::Bug(text)) => Reply::Bug(text),
                }
            }
        }
    }

    #[cfg(target_os = "linux")]
    fn call(&mut self, object: &Path, call: &Call, token: wire::Token) -> Reply {
        *TOKEN.lock().unwrap_or_else(PoisonError::into_inner) = Some(token);
        match self.program.call(object, call) {
            Ok(run) => {
                // on the simulator what is seen of a call is the whole process
                let last = self.role == Role::Program;
                Reply::Called { token, run: Box::new(run.into()), last }
            }
            Err(text) => Reply::Bug(text),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn call(&mut self, _: &Path, _: &Call, _: wire::Token) -> Reply {
        Reply::Bug("programs are run on Linux only".into())
    }

    /// This child's backend, made for its first job.
    fn engine(&mut self) -> Result<&mut Engine, NoGpu> {
        match &mut self.backend {
            Some(engine) => Ok(engine),
            none => Ok(none.insert(match self.role {
                Role::Gpu | Role::GpuProgram => Engine::Gpu(Gpu::open()?),
                Role::Compiler | Role::Simulator | Role::Program => Engine::Sim(Box::default()),
            })),
        }
    }
}

/// Hands every request to the main thread. When the checker is gone, the main thread hears of it, and if a kernel holds
/// it up then, the process ends all the same.
fn read_requests(mut stdin: impl Read, to: Sender<Vec<u8>>) {
    while let Ok(Some(payload)) = wire::read(&mut stdin) {
        if to.send(payload).is_err() {
            return;
        }
    }
    drop(to);
    thread::sleep(ORPHAN_LIMIT);
    std::process::abort();
}

/// Keeps standard input for requests under another number: a program that reads finds it empty.
#[cfg(unix)]
fn take_stdin() -> io::Result<std::fs::File> {
    let private = rustix::io::fcntl_dupfd_cloexec(io::stdin(), 3)?;
    rustix::stdio::dup2_stdin(std::fs::File::open("/dev/null")?)?;
    Ok(private.into())
}

/// Where descriptors cannot be moved, programs are not run.
#[cfg(not(unix))]
fn take_stdin() -> io::Result<io::Stdin> {
    Ok(io::stdin())
}

/// Keeps standard output for answers under another number, and sends what anybody prints to the captured file, which
/// is standard error already.
#[cfg(unix)]
fn take_stdout() -> io::Result<std::fs::File> {
    let private = rustix::io::fcntl_dupfd_cloexec(io::stdout(), 3)?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok(private.into())
}

/// Where descriptors cannot be moved, answers share standard output with whoever prints: such output garbles them, which
/// is noticed, but is not captured.
#[cfg(not(unix))]
fn take_stdout() -> io::Result<io::Stdout> {
    Ok(io::stdout())
}

/// The words of the last job's first panic, with its place. A panic that is caught has its words only, and one in
/// another thread not even those.
static PANIC: Mutex<Option<String>> = Mutex::new(None);

fn remember_panics() {
    panic::set_hook(Box::new(|info| {
        let mut panic = PANIC.lock().unwrap_or_else(PoisonError::into_inner);
        panic.get_or_insert_with(|| info.to_string());
    }));
}

/// Adds what is known of a panic to a bug's report.
fn with_panic(reply: Reply) -> Reply {
    let panic = PANIC.lock().unwrap_or_else(PoisonError::into_inner).take();
    match (reply, panic) {
        (Reply::Bug(text), Some(panic)) => Reply::Bug(format!("{text}: {panic}")),
        (reply, _) => reply,
    }
}

/// Sends what C code has printed on its way: a driver's `printf` waits in a buffer of the C library, and has to be in
/// the captured file before the answer leaves.
#[expect(unsafe_code, reason = "calls the C library")]
fn flush_c_streams() {
    unsafe extern "C" {
        fn fflush(stream: *mut std::ffi::c_void) -> std::ffi::c_int;
    }
    // SAFETY: a null stream means all of them (C17, 7.21.5.2), and needs no state of ours.
    unsafe { fflush(std::ptr::null_mut()) };
}
