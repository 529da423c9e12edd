//! The runtime's error codes, with their names and texts.

use std::cell::RefCell;
use std::ffi::CStr;
use std::sync::LazyLock;

/// What a function of the runtime returns: a value of `cudaError_t` (CUDA Runtime API, "Data
/// types").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Code(pub i32);

/// The result of a function of the runtime, or the error code that it returns.
pub type Result<T = ()> = std::result::Result<T, Code>;

#[expect(missing_docs, reason = "CUDA's own names and numbers")]
impl Code {
    pub const SUCCESS: Self = Self(0);
    pub const INVALID_VALUE: Self = Self(1);
    pub const MEMORY_ALLOCATION: Self = Self(2);
    pub const INVALID_CONFIGURATION: Self = Self(9);
    pub const INVALID_PITCH_VALUE: Self = Self(12);
    pub const INVALID_SYMBOL: Self = Self(13);
    pub const INVALID_DEVICE_POINTER: Self = Self(17);
    pub const INVALID_CHANNEL_DESCRIPTOR: Self = Self(20);
    pub const INVALID_MEMCPY_DIRECTION: Self = Self(21);
    pub const INVALID_FILTER_SETTING: Self = Self(26);
    pub const INVALID_NORM_SETTING: Self = Self(27);
    pub const DEVICES_UNAVAILABLE: Self = Self(46);
    pub const INVALID_DEVICE_FUNCTION: Self = Self(98);
    pub const INVALID_DEVICE: Self = Self(101);
    pub const INVALID_KERNEL_IMAGE: Self = Self(200);
    pub const NO_KERNEL_IMAGE: Self = Self(209);
    pub const ECC_UNCORRECTABLE: Self = Self(214);
    pub const UNSUPPORTED_LIMIT: Self = Self(215);
    pub const PEER_ACCESS_UNSUPPORTED: Self = Self(217);
    pub const INVALID_PTX: Self = Self(218);
    pub const INVALID_RESOURCE_HANDLE: Self = Self(400);
    pub const ILLEGAL_STATE: Self = Self(401);
    pub const NOT_READY: Self = Self(600);
    pub const ILLEGAL_ADDRESS: Self = Self(700);
    pub const LAUNCH_OUT_OF_RESOURCES: Self = Self(701);
    pub const LAUNCH_TIMEOUT: Self = Self(702);
    pub const PEER_ACCESS_NOT_ENABLED: Self = Self(705);
    pub const CONTEXT_IS_DESTROYED: Self = Self(709);
    pub const ASSERT: Self = Self(710);
    pub const HOST_MEMORY_ALREADY_REGISTERED: Self = Self(712);
    pub const HOST_MEMORY_NOT_REGISTERED: Self = Self(713);
    pub const MISALIGNED_ADDRESS: Self = Self(716);
    pub const INVALID_ADDRESS_SPACE: Self = Self(717);
    pub const LAUNCH_FAILURE: Self = Self(719);
    pub const COOPERATIVE_LAUNCH_TOO_LARGE: Self = Self(720);
    pub const NOT_PERMITTED: Self = Self(800);
    pub const NOT_SUPPORTED: Self = Self(801);
    pub const CAPTURE_UNSUPPORTED: Self = Self(900);
    pub const CAPTURE_INVALIDATED: Self = Self(901);
    pub const CAPTURE_MERGE: Self = Self(902);
    pub const CAPTURE_UNMATCHED: Self = Self(903);
    pub const CAPTURE_UNJOINED: Self = Self(904);
    pub const CAPTURE_ISOLATION: Self = Self(905);
    pub const CAPTURE_IMPLICIT: Self = Self(906);
    pub const CAPTURED_EVENT: Self = Self(907);
    pub const GRAPH_UPDATE_FAILURE: Self = Self(910);
    pub const INVALID_CLUSTER_SIZE: Self = Self(912);
}

/// A line of the table. The name and the text are C strings.
struct Row {
    code: i32,
    name: String,
    text: String,
}

/// What `cudaGetErrorName` and `cudaGetErrorString` of the CUDA 13.0 runtime return for each code.
static TABLE: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let row = |line: &str| {
        let mut parts = line.split('\t');
        let (code, name, text) = (parts.next()?, parts.next()?, parts.next()?);
        Some(Row { code: code.parse().ok()?, name: format!("{name}\0"), text: format!("{text}\0") })
    };
    include_str!("errors.tsv").lines().filter_map(row).collect()
});

thread_local! {
    /// Why the call that this thread is in fails.
    static REASON: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// The reason of the current call's error, if one was given. The next call begins without one. A
/// destructor that runs when the process ends gets no reason.
pub fn take_reason() -> Option<String> {
    REASON.try_with(RefCell::take).ok().flatten()
}

impl Code {
    /// The same code, and which argument of the current call is wrong and why: "the pitch is 80
    /// bytes, which is not a multiple of 32".
    pub fn because(self, reason: impl Into<String>) -> Self {
        let _ = REASON.try_with(|kept| kept.replace(Some(reason.into())));
        self
    }

    /// The code's name, for example `cudaErrorInvalidValue`.
    pub fn name(self) -> &'static CStr {
        self.find(|row| &row.name)
    }

    /// The code's description, for example `invalid argument`.
    pub fn text(self) -> &'static CStr {
        self.find(|row| &row.text)
    }

    fn find(self, part: impl Fn(&'static Row) -> &'static String) -> &'static CStr {
        let row = TABLE.iter().find(|row| row.code == self.0);
        row.and_then(|row| CStr::from_bytes_with_nul(part(row).as_bytes()).ok())
            .unwrap_or(c"unrecognized error code")
    }
}

#[cfg(test)]
mod tests {
    use super::Code;

    #[test]
    fn codes_have_the_names_and_texts_of_the_runtime() {
        assert_eq!(Code(0).name(), c"cudaSuccess");
        assert_eq!(Code(1).text(), c"invalid argument");
        assert_eq!(Code::ILLEGAL_ADDRESS.name(), c"cudaErrorIllegalAddress");
        assert_eq!(Code(10000).name(), c"cudaErrorApiFailureBase");
        assert_eq!(Code(-7).name(), c"unrecognized error code");
        assert_eq!(super::TABLE.len(), include_str!("errors.tsv").lines().count());
    }
}
