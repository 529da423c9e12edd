//! Faults that a backend can find.

use serde::{Deserialize, Serialize};

/// A fault that a backend found, as data. `explain` has the words for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Fault {
    /// The simulator's finding.
    Finding(ptxsim::Finding),
    /// A finding of the simulator in one of the launches that a program makes.
    InLaunch {
        /// The launch, without its own findings and counts.
        launch: Box<cudart_sim::runtime::LaunchRecord>,
        /// The finding.
        finding: ptxsim::Finding,
    },
    /// A program uses the CUDA runtime wrongly.
    Host(cudart_sim::report::HostFinding),
    /// Memory that a program never freed; reported when everything else is right.
    Leaked(Vec<cudart_sim::report::Leak>),
    /// A program declares and calls a function that is not defined.
    Undefined {
        /// Its name for the linker.
        symbol: String,
    },
    /// The program ended its process by calling `exit`.
    Exited {
        /// The exit code.
        code: i32,
    },
    /// A signal ended the program: an invalid pointer, `abort`, or an uncaught exception.
    Crashed {
        /// Its number.
        signal: i32,
        /// The last words that it printed.
        words: String,
        /// The place and the memory that it is about, as far as they are known.
        crash: Option<cudart_sim::report::Crash>,
    },
    /// The reply of the program's process is not a result: the program overwrote the checker's
    /// memory or wrote to its channel.
    Garbled {
        /// What is wrong with the reply.
        how: String,
    },
    /// A guard zone around a buffer was changed (GPU).
    GuardZone {
        /// The parameter's name.
        name: String,
        /// Element index of the first changed element; negative when before the buffer.
        index: i64,
    },
    /// A read-only buffer was changed.
    InputChanged {
        /// The parameter's name.
        name: String,
        /// First element changed.
        index: u64,
    },
    /// The driver reported an error (GPU): `CUDA_ERROR_ILLEGAL_ADDRESS` and the like.
    Driver {
        /// CUresult as a number.
        code: u32,
        /// Its name.
        name: String,
        /// The driver's description.
        text: String,
    },
    /// The run didn't begin, because the runs before it took all of the time that a file has.
    NoTimeLeft {
        /// This time.
        seconds: u64,
    },
    /// The wall clock ran out and the worker was killed.
    TimedOut {
        /// Seconds allowed.
        seconds: f64,
    },
    /// The worker died (out of memory, crashed).
    WorkerDied {
        /// How: "signal 9", "exit code 101".
        how: String,
    },
    /// The code uses a feature that the simulator does not have. The learner's code is not wrong.
    Unsupported {
        /// The instruction, directive or function.
        feature: String,
        /// Where, when known.
        source: Option<ptxsim::Source>,
    },
}
