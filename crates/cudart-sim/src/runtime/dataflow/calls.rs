//! The program's calls of the runtime, with the numbers that it passes.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::Recorded;
use crate::report::{CommandKind, OwnData};
use crate::runtime::Runtime;
use crate::runtime::findings::sites::SiteId;

/// Calls that are recorded one by one. Those after them are one call together.
const MAX_CALLS: usize = 4096;

/// Smaller values are numbers: no memory of the program begins below.
const FIRST_ADDRESS: u64 = 1 << 16;

/// The program's memory ends below this address, and the handles of objects begin above it.
const FIRST_HANDLE: u64 = 1 << 47;

/// What an argument of a call says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordedArgument {
    /// A number, or a handle.
    Number(u64),
    /// An address, which may be a handle of an array, a pool or a texture instead.
    Address(u64),
}

/// An argument as it is in every run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Constant {
    /// A number, a handle, or an address of the device.
    Value(u64),
    /// A place in an array of the program's caller: the number of the array, and the offset.
    Place(usize, usize),
    /// Other memory of the host, which may be elsewhere in the next run.
    OnHost,
}

/// The calls so far.
#[derive(Debug, Default)]
pub(super) struct Calls(Vec<Recorded>);

impl Calls {
    /// Adds a call with the digest of its function and its arguments.
    fn add(&mut self, digest: u64, site: SiteId) {
        let (kind, own) = (CommandKind::Call, OwnData::default());
        let call = Recorded { digest, kind, own, moved: vec![], site };
        let full = self.0.len() == MAX_CALLS;
        match self.0.last_mut().filter(|_| full) {
            Some(last) => last.join(&call),
            None => self.0.push(call),
        }
    }

    /// All calls, in the program's order.
    pub fn recorded(&self) -> &[Recorded] {
        &self.0
    }
}

impl Runtime {
    /// The program is in a call, and passes these arguments.
    pub(crate) fn record_call(&mut self, arguments: impl FnOnce() -> Vec<RecordedArgument>) {
        if !self.dataflow.is_on() {
            return;
        }
        self.add_call(arguments());
    }

    fn add_call(&mut self, arguments: Vec<RecordedArgument>) {
        let mut digest = DefaultHasher::new();
        self.findings.function().hash(&mut digest);
        for argument in arguments {
            self.constant(argument).hash(&mut digest);
        }
        let site = self.findings.site();
        self.dataflow.calls.add(digest.finish(), site);
    }

    fn constant(&self, argument: RecordedArgument) -> Constant {
        let address = match argument {
            RecordedArgument::Number(value) => return Constant::Value(value),
            RecordedArgument::Address(address) => address,
        };
        let on_device = self.memory.on_device(address);
        match self.dataflow.place(address) {
            Some((array, offset)) => Constant::Place(array, offset),
            None if self.memory.is_on_device(on_device) => Constant::Value(on_device),
            None if (FIRST_ADDRESS..FIRST_HANDLE).contains(&address) => Constant::OnHost,
            None => Constant::Value(address),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RecordedArgument::{Address, Number};
    use super::{MAX_CALLS, RecordedArgument};
    use crate::runtime::{Runtime, Settings, WatchedArray, Watching};

    const ARRAY: u64 = 0x7f00_0000_1000;

    fn runtime() -> Runtime {
        let mut runtime = Runtime::new(Settings::default());
        let array = WatchedArray {
            name: "in".into(),
            address: ARRAY,
            contents: vec![1; 64],
            output: false,
        };
        runtime.watch(vec![array], Watching::Blocks);
        runtime
    }

    /// The digests of calls with these arguments.
    fn digests(calls: &[(&'static str, &[RecordedArgument])]) -> Vec<u64> {
        let mut runtime = runtime();
        for (function, arguments) in calls {
            runtime.enter(function);
            runtime.record_call(|| arguments.to_vec());
        }
        runtime.dataflow.calls.recorded().iter().map(|call| call.digest).collect()
    }

    #[test]
    fn the_function_and_its_numbers_make_a_difference() {
        let all = digests(&[
            ("cudaDeviceSetLimit", &[Number(2), Number(100)]),
            ("cudaDeviceSetLimit", &[Number(2), Number(101)]),
            ("cudaMalloc", &[Number(2), Number(100)]),
        ]);
        assert_eq!(
            all,
            digests(&[
                ("cudaDeviceSetLimit", &[Number(2), Number(100)]),
                ("cudaDeviceSetLimit", &[Number(2), Number(101)]),
                ("cudaMalloc", &[Number(2), Number(100)]),
            ])
        );
        assert!(all[0] != all[1] && all[0] != all[2]);
    }

    /// The host's memory lies elsewhere in the next run, but an offset in an array says something.
    #[test]
    fn only_places_in_arrays_make_a_difference_on_the_host() {
        let all = digests(&[
            ("cudaHostRegister", &[Address(0x7f00_0100_0000)]),
            ("cudaHostRegister", &[Address(0x7f00_0200_0000)]),
            ("cudaHostRegister", &[Address(ARRAY)]),
            ("cudaHostRegister", &[Address(ARRAY + 4)]),
            ("cudaFreeArray", &[Address(0x00ca_a000_0000_0010)]),
            ("cudaFreeArray", &[Address(0x00ca_a000_0000_0020)]),
        ]);
        assert_eq!(all[0], all[1]);
        assert!(all[0] != all[2] && all[2] != all[3]);
        assert_ne!(all[4], all[5], "handles are the same in every run");
    }

    /// However many calls a program makes, the last one counts.
    #[test]
    fn calls_beyond_the_limit_count_together() {
        let many = |last: u64| {
            let mut runtime = runtime();
            for i in 0..=MAX_CALLS as u64 + 10 {
                runtime.enter("cudaMalloc");
                runtime.record_call(|| vec![Number(if i > MAX_CALLS as u64 { last } else { i })]);
            }
            let calls = runtime.dataflow.calls.recorded();
            (calls.len(), calls.last().map(|call| call.digest))
        };
        assert_eq!(many(1), many(1));
        assert_eq!(many(1).0, MAX_CALLS);
        assert_ne!(many(1).1, many(2).1);
    }
}
