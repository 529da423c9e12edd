//! The messages between the checker and its children. Each is a frame: a tag, a length, and a
//! payload that postcard encodes.
//!
//! A child runs learners' code, so replies are not trusted. Lengths are bounded, memory is
//! allocated only as bytes arrive, and anything that is not a frame is an error.

use std::borrow::Cow;
use std::io::{self, Read, Write};
use std::path::Path;

use cudart_sim::report::Report;
use cudart_sim::resources::KernelResources;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::sandbox::Confinement;
use crate::backend::{Call, GpuInfo, Launch, NoGpu, Run, Simulation};
use crate::compile::{Assembly, Options, Outcome, Program, ProgramOptions};
use crate::toolchain::Toolchain;

/// The first bytes of every frame, so that stray text is recognised at once.
const TAG: [u8; 4] = *b"cwk1";
/// The longest payload that either side accepts: 1 GiB.
pub(super) const MAX_PAYLOAD: u64 = 1 << 30;

/// The most bytes that are allocated for a payload before it arrives. The arrays of a case usually
/// fit.
const INITIAL_CAPACITY_BYTES: u64 = 16 << 20;

/// Why a frame could not be sent or read.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    /// The pipe failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The other side closed the pipe in the middle of a frame.
    #[error("the message ends after {got} of {wanted} bytes")]
    Short {
        /// Bytes that arrived.
        got: u64,
        /// Bytes that the frame should have.
        wanted: u64,
    },
    /// The bytes are not a frame.
    #[error("{0:02x?} does not begin a message")]
    NotAFrame([u8; 4]),
    /// Longer than `MAX_PAYLOAD`.
    #[error("a message of {0} bytes is longer than the limit of {MAX_PAYLOAD} bytes")]
    TooLong(u64),
    /// The payload is not the expected message.
    #[error("the message cannot be read: {0}")]
    Garbled(#[from] postcard::Error),
}

/// Encodes a message as a frame.
pub(super) fn encode(message: &impl Serialize) -> Result<Vec<u8>, Error> {
    let mut frame = Vec::with_capacity(64);
    frame.extend_from_slice(&TAG);
    frame.extend_from_slice(&[0; 8]);
    let mut frame = postcard::to_extend(message, frame)?;
    let payload = (frame.len() - TAG.len() - 8) as u64;
    if payload > MAX_PAYLOAD {
        return Err(Error::TooLong(payload));
    }
    frame[TAG.len()..TAG.len() + 8].copy_from_slice(&payload.to_le_bytes());
    Ok(frame)
}

/// Reads the payload of the next frame. Returns `None` if the other side closed the pipe between
/// two frames.
pub(super) fn read(from: &mut impl Read) -> Result<Option<Vec<u8>>, Error> {
    let mut header = Vec::with_capacity(12);
    from.by_ref().take(12).read_to_end(&mut header)?;
    let Some((tag, rest)) = header.split_first_chunk::<4>() else {
        return match header.len() {
            0 => Ok(None),
            got => Err(Error::Short { got: got as u64, wanted: 12 }),
        };
    };
    if *tag != TAG {
        return Err(Error::NotAFrame(*tag));
    }
    let length = rest
        .first_chunk::<8>()
        .map(|b| u64::from_le_bytes(*b))
        .ok_or(Error::Short { got: header.len() as u64, wanted: 12 })?;
    if length > MAX_PAYLOAD {
        return Err(Error::TooLong(length));
    }
    let mut payload = Vec::with_capacity(length.min(INITIAL_CAPACITY_BYTES) as usize);
    from.by_ref().take(length).read_to_end(&mut payload)?;
    if payload.len() as u64 != length {
        return Err(Error::Short { got: payload.len() as u64, wanted: length });
    }
    Ok(Some(payload))
}

/// Decodes a payload.
pub(super) fn decode<T: DeserializeOwned>(payload: &[u8]) -> Result<T, Error> {
    let (message, rest) = postcard::take_from_bytes(payload)?;
    if rest.is_empty() {
        Ok(message)
    } else {
        Err(Error::Garbled(postcard::Error::DeserializeBadEncoding))
    }
}

/// Writes one frame and flushes it.
pub(super) fn send(to: &mut impl Write, frame: &[u8]) -> io::Result<()> {
    to.write_all(frame)?;
    to.flush()
}

/// A secret number of a call that its reply repeats. A program that knows the format of messages
/// and writes one to every descriptor still does not know this number.
pub(super) type Token = [u64; 2];

/// A request to a child.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Request<'a> {
    /// Open the GPU and describe it.
    Gpu,
    /// Describe how the child is confined.
    Confinement,
    /// Compile a kernel file.
    Compile {
        /// The compiler.
        toolchain: Cow<'a, Toolchain>,
        /// The file's text.
        source: Cow<'a, str>,
        /// The file's name, for messages.
        file: Cow<'a, str>,
        /// The options.
        options: Cow<'a, Options>,
    },
    /// Run a kernel.
    Run {
        /// PTX text; `None` if it is the same as in the last request.
        ptx: Option<Cow<'a, str>>,
        /// The launch.
        launch: Cow<'a, Launch>,
    },
    /// Compile a program.
    Build {
        /// The compiler.
        toolchain: Cow<'a, Toolchain>,
        /// The file's text.
        source: Cow<'a, str>,
        /// The file's name, for messages.
        file: Cow<'a, str>,
        /// The options.
        options: Cow<'a, ProgramOptions>,
    },
    /// Assemble PTX, to count the registers of its kernels.
    Assemble {
        /// The compiler whose assembler it is.
        toolchain: Cow<'a, Toolchain>,
        /// PTX text.
        ptx: Cow<'a, str>,
        /// How it is assembled.
        assembly: Cow<'a, Assembly>,
    },
    /// Call a function of a program.
    Call {
        /// The compiled program's file.
        object: Cow<'a, Path>,
        /// The call.
        call: Cow<'a, Call>,
        /// The number that the reply repeats.
        token: Token,
    },
    /// Call a program's `main` on the simulator. The child ends with the program.
    Main {
        /// The compiled program's file.
        object: Cow<'a, Path>,
        /// The program's arguments, without its name.
        arguments: Cow<'a, [String]>,
        /// How the simulator runs it.
        simulation: Cow<'a, Simulation>,
        /// The number that the reply repeats.
        token: Token,
    },
    /// Run a kernel on the simulator and record what one thread does.
    Trace {
        /// PTX text.
        ptx: Cow<'a, str>,
        /// The launch.
        launch: Cow<'a, Launch>,
        /// The thread.
        thread: ptxsim::trace::Thread,
    },
}

/// A reply of a child.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Reply {
    /// To `Request::Gpu`.
    Gpu(GpuInfo),
    /// To `Request::Confinement`.
    Confinement(Confinement),
    /// Why the child cannot be confined. It does nothing, because confinement is required.
    NoSandbox(String),
    /// No job can run on the GPU.
    NoGpu(NoGpu),
    /// To `Request::Compile`.
    Compiled(Outcome),
    /// To `Request::Build`.
    Built(Outcome<Program>),
    /// To `Request::Assemble`: the resources of the kernels, or why they are unknown.
    Assembled(Result<Vec<KernelResources>, String>),
    /// To `Request::Call`.
    Called {
        /// The token of the call.
        token: Token,
        /// What happened.
        run: Box<Run>,
        /// Does the child end after this reply?
        last: bool,
    },
    /// To `Request::Main`, when the program ends.
    Ended {
        /// The token of the request.
        token: Token,
        /// What the simulator observed, or why the program did not start.
        report: Result<Box<Report>, String>,
    },
    /// To `Request::Run`.
    Ran {
        /// What happened.
        run: Box<Run>,
        /// Does the child end after this reply? It does if the device faulted, because only a new
        /// process can use it again.
        last: bool,
    },
    /// To `Request::Trace`.
    Traced {
        /// What happened.
        run: Box<Run>,
        /// What the thread did; `None` if the launch was refused.
        trace: Option<ptxsim::trace::Trace>,
    },
    /// The message of a panic in the checker's own code. The child ends after this reply.
    Bug(String),
}

impl Reply {
    /// Does the child end after this reply, so that the next job needs a new one?
    pub(super) const fn is_last(&self) -> bool {
        matches!(
            self,
            Self::NoGpu(_)
                | Self::NoSandbox(_)
                | Self::Bug(_)
                | Self::Ended { .. }
                | Self::Called { last: true, .. }
                | Self::Ran { last: true, .. }
        )
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::backend::{Fault, Output};

    fn read_frame(bytes: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        read(&mut io::Cursor::new(bytes))
    }

    /// A run is decoded as it was, whatever it holds.
    #[test]
    fn a_run_is_decoded_as_it_was_encoded() {
        let access = ptxsim::Access {
            source: ptxsim::Source { file: "a.cu".into(), line: 3, column: 5 },
            called_from: None,
            action: ptxsim::Action::Wait,
            block: [1, 0, 0],
            thread: [2, 0, 0],
            linear: 2,
            space: None,
            array: None,
            index: Some(-4),
            last_index: None,
            offset: None,
            pointer: None,
            elements: None,
            array_bytes: None,
            address: u64::MAX,
            bytes: 4,
            pending: false,
            volatile: false,
            iteration: None,
            written: None,
        };
        let finding = ptxsim::Finding {
            what: ptxsim::FindingKind::BarrierNotReached { waiting: 251, missing: 5 },
            at: access.clone(),
            with: Some(access),
            count: u64::MAX,
            threads: u64::MAX,
            both_write: false,
            one_warp: false,
        };
        let run = Run {
            outputs: vec![Output {
                name: "out".into(),
                data: vec![0, 255, 7],
                poison: Some([1; 4]),
                copied_back: Some(crate::backend::CopiedBack {
                    bytes: 3,
                    from: vec!["a".into()],
                    written_by: vec![],
                }),
            }],
            faults: vec![
                Fault::Finding(finding.clone()),
                Fault::Unsupported { feature: "wgmma".into(), source: None },
                Fault::TimedOut { seconds: 0.5 },
            ],
            observations: Some(ptxsim::Observations {
                findings: vec![finding],
                ..Default::default()
            }),
            program: Some(Report::default()),
            resources: vec![],
            printed: "hello\n".into(),
            printed_dropped: 7,
            uncopied: vec![],
            written_by_host: vec![],
            milliseconds: vec![0.25],
            cold_milliseconds: vec![0.5],
            device: "simulator".into(),
        };
        let frame = encode(&Reply::Ran { run: Box::new(run.clone()), last: true }).unwrap();
        let payload = read_frame(&frame).unwrap().unwrap();
        let Reply::Ran { run: back, last: true } = decode(&payload).unwrap() else { panic!() };
        assert_eq!(*back, run);
    }

    /// A wrong length is an error, and does not allocate a gigabyte.
    #[test]
    fn lengths_are_bounded_and_checked() {
        let frame = |length: u64| [&TAG[..], &length.to_le_bytes(), b"abc"].concat();
        assert!(matches!(read_frame(&frame(u64::MAX)), Err(Error::TooLong(u64::MAX))));
        assert!(matches!(read_frame(&frame(MAX_PAYLOAD)), Err(Error::Short { got: 3, .. })));
        assert!(matches!(read_frame(&frame(3)), Ok(Some(p)) if p == b"abc"));
        assert!(matches!(read_frame(b"Hello, world"), Err(Error::NotAFrame(t)) if &t == b"Hell"));
        assert!(matches!(read_frame(b"cwk1\0"), Err(Error::Short { got: 5, .. })));
        assert!(matches!(read_frame(b""), Ok(None)));
    }

    /// Bytes after a complete message mean that the two sides disagree about the protocol.
    #[test]
    fn a_payload_with_extra_bytes_is_refused() {
        let mut payload = read_frame(&encode(&Request::Gpu).unwrap()).unwrap().unwrap();
        payload.push(0);
        assert!(decode::<Request<'static>>(&payload).is_err());
    }

    proptest! {
        /// Any bytes are an error or a value. They never cause a panic or an endless read.
        #[test]
        fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = read_frame(&bytes);
            let _ = decode::<Reply>(&bytes);
            let _ = decode::<Request<'static>>(&bytes);
        }

        /// A frame that ends early is an error, wherever it ends.
        #[test]
        fn a_truncated_frame_is_an_error(text in ".{0,40}", cut in any::<prop::sample::Index>()) {
            let frame = encode(&Reply::Bug(text)).unwrap();
            let cut = cut.index(frame.len() - 1) + 1;
            prop_assert!(cut == frame.len() || read_frame(&frame[..cut]).is_err());
        }
    }
}
