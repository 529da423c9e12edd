//! The results of a launch or call.

use cudart_sim::resources::KernelResources;
use serde::{Deserialize, Serialize};

use super::poison::poison;
use super::{Arg, Fault, guard};

/// The results of a launch or call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Contents of every writable buffer after the launch, in parameter order.
    pub outputs: Vec<Output>,
    /// Faults, the most informative first; empty when the kernel ran without one.
    pub faults: Vec<Fault>,
    /// The simulator's observations, of a program those of all its launches together; `None` from a
    /// GPU.
    pub observations: Option<ptxsim::Observations>,
    /// The simulated runtime's report on a program; `None` for a kernel, and from a GPU.
    pub program: Option<cudart_sim::report::Report>,
    /// What the assembler has allocated for the kernels, as far as that was asked for.
    pub resources: Vec<KernelResources>,
    /// Arrays that a program only reads, and that no copy to the device reads although copies read
    /// others of them.
    pub uncopied: Vec<String>,
    /// Bytes of outputs that a program's host code has written itself, where the simulator has seen
    /// it.
    pub written_by_host: Vec<cudart_sim::runtime::HostWritten>,
    /// What the kernel printed, up to [`super::PRINTED_LIMIT`].
    pub printed: String,
    /// Bytes printed beyond that.
    pub printed_dropped: u64,
    /// The time of each timed launch or call on a GPU in milliseconds. A kernel is timed between
    /// two events and a program on the host's clock, except that with
    /// [`crate::compile::Target::TimedGpu`] it is the time of all the program's kernels.
    pub milliseconds: Vec<f64>,
    /// The times of launches that have found other data in the caches.
    pub cold_milliseconds: Vec<f64>,
    /// The device: "simulator", "GPU: NVIDIA H200".
    pub device: String,
}

impl Run {
    /// A run with a fault and no results.
    pub fn failed(fault: Fault, device: String) -> Self {
        Self { faults: vec![fault], ..Self::new(device) }
    }

    /// A run without results so far.
    pub fn new(device: String) -> Self {
        Self {
            outputs: vec![],
            faults: vec![],
            observations: None,
            program: None,
            resources: vec![],
            printed: String::new(),
            printed_dropped: 0,
            uncopied: vec![],
            written_by_host: vec![],
            milliseconds: vec![],
            cold_milliseconds: vec![],
            device,
        }
    }

    /// Adds the contents of a buffer after the launch: an output, or a fault when a read-only
    /// buffer has changed. Scalars are ignored.
    pub(crate) fn add_buffer(&mut self, arg: &Arg, contents: Vec<u8>, seed: u64) {
        let Arg::Buffer { name, dtype, data, writable, .. } = arg else { return };
        if *writable {
            let poison = data.is_none().then(|| poison(seed));
            self.outputs.push(Output {
                name: name.clone(),
                data: contents,
                poison,
                copied_back: None,
            });
        } else if let Some(changed) = first_difference(data.as_deref(), &contents) {
            let index = (changed / dtype.bytes()) as u64;
            self.faults.push(Fault::InputChanged { name: name.clone(), index });
        }
    }

    /// Adds a buffer between guard zones ([`guard::wrap`]): faults for changes in the zones, and
    /// then its contents.
    pub(crate) fn add_guarded_buffer(&mut self, arg: &Arg, image: &[u8], salt: u64, seed: u64) {
        let Arg::Buffer { name, dtype, .. } = arg else { return };
        self.faults.extend(guard::check(image, salt, name, dtype.bytes()));
        self.add_buffer(arg, guard::contents(image).to_vec(), seed);
    }
}

/// One buffer after the launch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Output {
    /// The parameter's name.
    pub name: String,
    /// Its bytes.
    #[serde(with = "serde_bytes")]
    pub data: Vec<u8>,
    /// The 4-byte pattern that it was poisoned with; `None` for inout.
    pub poison: Option<[u8; 4]>,
    /// What a program copied to it from the device; `None` when that was not recorded.
    pub copied_back: Option<CopiedBack>,
}

/// What a program copied from the device to one of its outputs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CopiedBack {
    /// Bytes that these copies moved.
    pub bytes: u64,
    /// The memory from which they came, by its name in findings.
    pub from: Vec<String>,
    /// Copies and sets that wrote this memory after the last kernel did, with the first and the
    /// last byte of the output that has what they wrote.
    pub written_by: Vec<cudart_sim::report::HostWrite>,
}

/// The first byte of a read-only buffer that differs from the bytes that were sent.
fn first_difference(sent: Option<&[u8]>, found: &[u8]) -> Option<usize> {
    let sent = sent?;
    // The comparison of whole slices is much faster than the search, and they are usually equal.
    if sent == found {
        return None;
    }
    sent.iter().zip(found).position(|(a, b)| a != b)
}
