//! The child process, which serves one request after another from its standard input.
//!
//! First of all, it moves its standard output to a private descriptor for replies, and makes the
//! captured file its standard output. So the output of a kernel, the driver or a library is never
//! taken for a reply.

use std::io;
#[cfg(unix)]
use std::os::fd::AsFd as _;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::{self, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::Role;
#[cfg(unix)]
use super::private_pipe::PrivatePipe;
use super::process::{
    MEMORY_VARIABLE, PRELOAD_VARIABLE, READABLE_VARIABLE, ROLE_VARIABLE, SANDBOX_VARIABLE,
    SCRATCH_VARIABLE,
};
use super::sandbox::{self, Confinement, Sandbox, limits};
use super::wire::{self, Reply, Request};
#[cfg(target_os = "linux")]
use super::{addresses, descriptors, prefork};
use crate::backend::gpu::Gpu;
use crate::backend::sim::Simulator;
use crate::backend::{Backend, Call, Error, NoGpu, Simulation};
use crate::compile::{self, nvcc, nvrtc};
#[cfg(target_os = "linux")]
use crate::program;
use crate::start;

/// How long a child may continue to work after the checker has ended.
const ORPHAN_LIMIT: Duration = Duration::from_millis(500);

/// What `checker-worker` does without arguments. It serves one checker until the checker closes the
/// pipe or the device is lost.
pub fn serve() -> ExitCode {
    #[cfg(target_os = "linux")]
    if let Err(error) = descriptors::close_inherited() {
        eprintln!("error: the descriptors of `checker-worker` can't be closed: {error}");
        return ExitCode::from(2);
    }
    let role = std::env::var(ROLE_VARIABLE).ok().and_then(|role| Role::parse(&role));
    let Some(role) = role else {
        eprintln!("error: `checker-worker` is a part of `checker`, which starts it");
        return ExitCode::from(2);
    };
    #[cfg(target_os = "linux")]
    if role == Role::Compiler {
        addresses::fix();
    }
    let serve_requests = |requests| {
        let mut server = Server {
            role,
            backend: None,
            #[cfg(target_os = "linux")]
            program: program::Caller::new(role == Role::Program, reply_after_crash),
        };
        serve_requests(role, requests, |request| server.answer(request))
    };
    #[cfg(target_os = "linux")]
    if let (Some(libraries), Some(scratch)) =
        (std::env::var_os(PRELOAD_VARIABLE), std::env::var_os(SCRATCH_VARIABLE))
    {
        nvrtc::warm_up(&std::env::split_paths(&libraries).collect::<Vec<_>>());
        let code = prefork::serve(Path::new(&scratch), || serve_requests(Requests::One));
        return ExitCode::from(code);
    }
    ExitCode::from(serve_requests(Requests::All))
}

/// The exit code of a process for one request that has replied. Without a request, the code is 0,
/// because the checker has closed the pipe.
pub(super) const REPLIED: u8 = 100;

/// How many requests a process serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Requests {
    /// All that come.
    All,
    /// The first one.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux forks"))]
    One,
}

/// Serves requests with any function that answers them.
#[cfg(test)]
pub(super) fn serve_with(role: Role, answer: impl FnMut(Request<'static>) -> Reply) -> ExitCode {
    ExitCode::from(serve_requests(role, Requests::All, answer))
}

/// The same, and as many as it is to be; returns the exit code.
fn serve_requests(
    role: Role,
    limit: Requests,
    mut answer: impl FnMut(Request<'static>) -> Reply,
) -> u8 {
    let memory = std::env::var(MEMORY_VARIABLE).ok().and_then(|bytes| bytes.parse().ok());
    limits::set(role, memory.unwrap_or(limits::MEMORY_BYTES));
    let (Ok(stdin), Ok(mut private)) = (take_stdin(), take_stdout()) else {
        return 3;
    };
    #[cfg(target_os = "linux")]
    if let Ok(copy) = private.try_clone() {
        let _ = REPLIES.set(Mutex::new(copy));
    }
    remember_panics();
    let confined = confine(role, &stdin);
    let (to, requests) = mpsc::channel();
    if start::thread("requests", move || read_requests(stdin, to, limit)).is_err() {
        return 3;
    }
    for mut payload in requests {
        let request = wire::decode(&payload);
        // so that a program which searches the memory does not find the token of its call here
        payload.fill(0);
        std::hint::black_box(&mut payload);
        drop(payload);
        let reply = match request {
            Ok(Request::Confinement) => {
                Reply::Confinement(confined.clone().unwrap_or_else(|none| none))
            }
            Ok(request) => match &confined {
                Ok(_) => panic::catch_unwind(AssertUnwindSafe(|| answer(request)))
                    .unwrap_or_else(|_| Reply::Bug("a panic in the worker".into())),
                Err(none) => Reply::NoSandbox(none.missing.clone().unwrap_or_default()),
            },
            Err(error) => Reply::Bug(format!("the worker cannot read a request: {error}")),
        };
        let reply = with_panic(reply);
        flush_c_streams();
        let frame = wire::encode(&reply).or_else(|e| wire::encode(&Reply::Bug(e.to_string())));
        let sent = frame.is_ok_and(|frame| wire::send(&mut private, &frame).is_ok());
        if sent && limit == Requests::One {
            return REPLIED;
        }
        if !sent || reply.is_last() {
            break;
        }
    }
    0
}

/// Gives up the rights that this role does not need. Returns an error if that is required and not
/// possible.
fn confine(role: Role, stdin: &PrivateInput) -> Result<Confinement, Confinement> {
    let mode = std::env::var(SANDBOX_VARIABLE).ok().and_then(|mode| Sandbox::parse(&mode));
    let mode = mode.unwrap_or(Sandbox::Off);
    if mode == Sandbox::Off {
        return Ok(Confinement::default());
    }
    let readable = std::env::var_os(READABLE_VARIABLE).unwrap_or_default();
    let readable: Vec<_> = std::env::split_paths(&readable).collect();
    let scratch = std::env::var_os(SCRATCH_VARIABLE).map(std::path::PathBuf::from);
    if role == Role::Program {
        cudart_sim::runtime::find_own_code();
    }
    #[cfg(unix)]
    let socket = Some(stdin.as_fd());
    #[cfg(not(unix))]
    let socket = None;
    let confined = sandbox::confine(role, &readable, scratch.as_deref(), socket);
    if mode == Sandbox::Require && !confined.is_complete() { Err(confined) } else { Ok(confined) }
}

/// Where replies are written, for a call that a signal ends.
#[cfg(target_os = "linux")]
static REPLIES: std::sync::OnceLock<Mutex<PrivatePipe>> = std::sync::OnceLock::new();

/// The token of the current call, for the same.
#[cfg(target_os = "linux")]
static TOKEN: Mutex<Option<wire::Token>> = Mutex::new(None);

/// Replies to the current call from another thread, because a signal has stopped the thread that
/// would reply.
#[cfg(target_os = "linux")]
fn reply_after_crash(run: crate::backend::Run) {
    reply_now(|token| Reply::Called { token, run: Box::new(run), last: true });
}

/// Replies to the current request for a `main`, because the program ends the process.
#[cfg(target_os = "linux")]
fn reply_at_end(report: cudart_sim::report::Report) {
    reply_now(|token| Reply::Ended { token, report: Ok(Box::new(report)) });
}

/// Replies to the current call outside of the loop that answers requests.
#[cfg(target_os = "linux")]
fn reply_now(reply: impl FnOnce(wire::Token) -> Reply) {
    flush_c_streams();
    let Some(token) = *TOKEN.lock().unwrap_or_else(PoisonError::into_inner) else { return };
    let reply = reply(token);
    if let (Some(replies), Ok(frame)) = (REPLIES.get(), wire::encode(&reply)) {
        let mut replies = replies.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = wire::send(&mut *replies, &frame);
    }
}

/// Answers the requests of the real checker.
struct Server {
    role: Role,
    backend: Option<Engine>,
    #[cfg(target_os = "linux")]
    program: program::Caller,
}

/// The backend of this child.
enum Engine {
    Gpu(Gpu),
    Sim(Box<Simulator>),
}

impl Server {
    fn answer(&mut self, request: Request<'static>) -> Reply {
        match request {
            Request::Compile { toolchain, source, file, options } => {
                Reply::Compiled(nvrtc::compile(&toolchain, &source, &file, &options))
            }
            Request::Build { toolchain, source, file, options } => {
                Reply::Built(nvcc::compile(&toolchain, &source, &file, &options))
            }
            Request::Assemble { toolchain, ptx, assembly } => {
                Reply::Assembled(compile::assemble(&toolchain, &ptx, &assembly))
            }
            Request::Call { object, call, token } => self.call(&object, &call, token),
            Request::Main { object, arguments, simulation, token } => {
                Self::call_main(&object, &arguments, simulation.into_owned(), token)
            }
            Request::Confinement => Reply::Bug("this request is answered elsewhere".into()),
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
                    Ok((run, trace)) => Reply::Traced { run: Box::new(run), trace },
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
                    Ok(run) => Reply::Ran { run: Box::new(run), last: !backend.healthy() },
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
                // on the simulator, the observations of a call are about the whole process, so it
                // makes no second call
                let last = self.role == Role::Program;
                Reply::Called { token, run: Box::new(run), last }
            }
            Err(text) => Reply::Bug(text),
        }
    }

    /// Ends this process with the program, unless the program cannot be started.
    #[cfg(target_os = "linux")]
    fn call_main(
        object: &Path,
        arguments: &[String],
        simulation: Simulation,
        token: wire::Token,
    ) -> Reply {
        *TOKEN.lock().unwrap_or_else(PoisonError::into_inner) = Some(token);
        let why = program::call_main(object, arguments, simulation, reply_at_end);
        Reply::Ended { token, report: Err(why) }
    }

    #[cfg(not(target_os = "linux"))]
    fn call_main(_: &Path, _: &[String], _: Simulation, _: wire::Token) -> Reply {
        Reply::Bug("programs are run on Linux only".into())
    }

    #[cfg(not(target_os = "linux"))]
    fn call(&mut self, _: &Path, _: &Call, _: wire::Token) -> Reply {
        Reply::Bug("programs are run on Linux only".into())
    }

    /// This child's backend, which is created for its first job.
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

/// Passes every request to the main thread. When the checker has ended, the channel is closed, so
/// the main thread ends the process. If a kernel keeps it from doing so, this thread does.
fn read_requests(mut stdin: PrivateInput, to: Sender<Vec<u8>>, limit: Requests) {
    while let Ok(Some(payload)) = wire::read(&mut stdin) {
        if to.send(payload).is_err() {
            return;
        }
        if limit == Requests::One {
            // The next request is for another process.
            #[cfg(unix)]
            stdin.wait_for_hang_up();
            break;
        }
    }
    drop(to);
    thread::sleep(ORPHAN_LIMIT);
    std::process::abort();
}

#[cfg(unix)]
type PrivateInput = PrivatePipe;
#[cfg(not(unix))]
type PrivateInput = io::Stdin;

/// Moves standard input to a private descriptor. A program that reads standard input finds it
/// empty.
#[cfg(unix)]
fn take_stdin() -> io::Result<PrivateInput> {
    let private = rustix::io::fcntl_dupfd_cloexec(io::stdin(), 3)?;
    rustix::stdio::dup2_stdin(std::fs::File::open("/dev/null")?)?;
    Ok(private.into())
}

/// Programs do not run on systems where descriptors cannot be moved.
#[cfg(not(unix))]
fn take_stdin() -> io::Result<PrivateInput> {
    Ok(io::stdin())
}

/// Moves standard output to a private descriptor for replies. Everything that is printed goes to
/// the captured file, which is already standard error.
#[cfg(unix)]
fn take_stdout() -> io::Result<PrivatePipe> {
    let private = rustix::io::fcntl_dupfd_cloexec(io::stdout(), 3)?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok(private.into())
}

/// On systems where descriptors cannot be moved, replies and printed text share standard output.
/// Printed text then makes a reply malformed, which is an error.
#[cfg(not(unix))]
fn take_stdout() -> io::Result<io::Stdout> {
    Ok(io::stdout())
}

/// The message and the location of the first panic in the last job. Catching a panic gives only its
/// message, and for a panic in another thread not even that.
static PANIC: Mutex<Option<String>> = Mutex::new(None);

fn remember_panics() {
    panic::set_hook(Box::new(|info| {
        let mut panic = PANIC.lock().unwrap_or_else(PoisonError::into_inner);
        panic.get_or_insert_with(|| info.to_string());
    }));
}

/// Adds the message of a panic to a reply about a bug.
fn with_panic(reply: Reply) -> Reply {
    let panic = PANIC.lock().unwrap_or_else(PoisonError::into_inner).take();
    match (reply, panic) {
        (Reply::Bug(text), Some(panic)) => Reply::Bug(format!("{text}: {panic}")),
        (reply, _) => reply,
    }
}

/// Flushes what C code has printed. The output of a kernel's `printf` may still be in a buffer of
/// the C library, and must be in the captured file before the reply is sent.
#[expect(unsafe_code, reason = "calls the C library")]
fn flush_c_streams() {
    unsafe extern "C" {
        fn fflush(stream: *mut std::ffi::c_void) -> std::ffi::c_int;
    }
    // SAFETY: a null pointer means all streams (C17, 7.21.5.2).
    unsafe { fflush(std::ptr::null_mut()) };
}
