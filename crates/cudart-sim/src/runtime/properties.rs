//! The properties of the simulated device. They are those of an H200 (`hardware/device-h200.txt`,
//! which `hardware/device.cu` printed) except for the name, the size of the memory and the location
//! on the bus.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::error::{Code, Result};

/// `sizeof(cudaDeviceProp)` in CUDA 13.
pub const PROPERTIES_BYTES: usize = 1008;

/// `sizeof(cudaDeviceProp)` in CUDA 12.
pub const CUDA_12_PROPERTIES_BYTES: usize = 1032;

/// The fields that both versions of `cudaDeviceProp` have, as runs of bytes: the offset in CUDA 12,
/// the offset in CUDA 13, and the length.
const COMMON_FIELDS: [(usize, usize, usize); 9] = [
    (0, 0, 384),
    (388, 384, 4),
    (396, 388, 8),
    (408, 396, 8),
    (420, 404, 188),
    (612, 592, 28),
    (640, 624, 28),
    (672, 652, 20),
    (696, 672, 84),
];

/// The fields that CUDA 13 has removed: the offset, and the attribute with the same value.
const REMOVED_FIELDS: [(usize, i32); 8] =
    [(348, 13), (384, 15), (392, 17), (404, 20), (416, 69), (608, 36), (668, 87), (692, 96)];

/// The device's name.
const NAME: &[u8] = b"CUDA Workbook simulator";

/// CUDA 13.0, the version of the runtime and of the driver.
pub const VERSION: i32 = 13_000;

/// The location of the device on the PCI bus.
pub const BUS: &str = "0000:00:00.0";

/// The domain, bus and device numbers of a location like `0000:00:00.0`, which may lack the domain
/// or the function.
pub fn bus(text: &str) -> Option<[u32; 3]> {
    let (location, function) = text.rsplit_once('.').unwrap_or((text, "0"));
    let numbers = location.split(':').map(|part| u32::from_str_radix(part, 16).ok());
    let numbers: Option<Vec<u32>> = numbers.collect();
    function.parse::<u32>().ok()?;
    match numbers?[..] {
        [domain, bus, device] => Some([domain, bus, device]),
        [bus, device] => Some([0, bus, device]),
        _ => None,
    }
}

/// The offsets in `cudaDeviceProp` of the fields that differ from the H200's.
const NAME_OFFSET: usize = 0;
const NAME_BYTES: usize = 256;
const IDENTIFIERS: std::ops::Range<usize> = 256..284;
const MEMORY_OFFSET: usize = 288;
/// Of `sharedMemPerBlockOptin`.
const SHARED_OPTIN_OFFSET: usize = 672;
const PCI_LOCATION: std::ops::Range<usize> = 568..580;
const GPU_PCI_LOCATION: std::ops::Range<usize> = 772..780;

/// The attributes of the location on the bus, `cudaDevAttrPciBusId`, `...DeviceId` and
/// `...DomainId`, and the same of the GPU.
const PCI_LOCATION_ATTRIBUTES: [i32; 5] = [33, 34, 50, 139, 140];

/// What `hardware/device.cu` printed on the H200.
struct Record {
    properties: Vec<u8>,
    /// Values by number. The runtime does not know an attribute that is missing here.
    attributes: HashMap<i32, i32>,
    limits: HashMap<i32, u64>,
}

static RECORD: LazyLock<Record> = LazyLock::new(|| {
    let text = include_str!("../../hardware/device-h200.txt");
    let hexadecimal = |line: &str| line.len() >= 64 && line.bytes().all(|b| b.is_ascii_hexdigit());
    let digits: String = text.lines().filter(|line| hexadecimal(line)).collect();
    let byte = |i| digits.get(i..i + 2).and_then(|two| u8::from_str_radix(two, 16).ok());
    let mut properties: Vec<u8> = (0..digits.len()).step_by(2).filter_map(byte).collect();
    properties.resize(PROPERTIES_BYTES, 0);
    let words = |kind: &str| -> Vec<Vec<&str>> {
        let all = text.lines().map(|line| line.split(' ').collect::<Vec<_>>());
        all.filter(|words| words[0] == kind).collect()
    };
    let attribute = |words: Vec<&str>| match words[..] {
        [_, number, value] => Some((number.parse().ok()?, value.parse().ok()?)),
        _ => None,
    };
    let limit = |words: Vec<&str>| match words[..] {
        [_, number, "0", value] => Some((number.parse().ok()?, value.parse().ok()?)),
        _ => None,
    };
    Record {
        properties,
        attributes: words("attribute").into_iter().filter_map(attribute).collect(),
        limits: words("limit").into_iter().filter_map(limit).collect(),
    }
});

/// `cudaDeviceProp` of a device with so many bytes of memory, and of shared memory for a block that
/// has opted in.
pub fn properties(memory: u64, shared: u32) -> Vec<u8> {
    let mut bytes = RECORD.properties.clone();
    bytes[NAME_OFFSET..NAME_BYTES].fill(0);
    bytes[NAME_OFFSET..NAME.len()].copy_from_slice(NAME);
    for range in [IDENTIFIERS, PCI_LOCATION, GPU_PCI_LOCATION] {
        bytes[range].fill(0);
    }
    bytes[MEMORY_OFFSET..MEMORY_OFFSET + 8].copy_from_slice(&memory.to_le_bytes());
    bytes[SHARED_OPTIN_OFFSET..SHARED_OPTIN_OFFSET + 4].copy_from_slice(&shared.to_le_bytes());
    bytes
}

/// `cudaDeviceProp` of CUDA 12, of the same device.
pub fn cuda_12_properties(memory: u64, shared: u32) -> [u8; CUDA_12_PROPERTIES_BYTES] {
    let new = properties(memory, shared);
    let mut old = [0; CUDA_12_PROPERTIES_BYTES];
    for (to, from, bytes) in COMMON_FIELDS {
        old[to..to + bytes].copy_from_slice(&new[from..from + bytes]);
    }
    for (to, number) in REMOVED_FIELDS {
        let value = attribute(number).unwrap_or(0);
        old[to..to + 4].copy_from_slice(&value.to_le_bytes());
    }
    old
}

/// `cudaDeviceGetAttribute`.
pub fn attribute(number: i32) -> Result<i32> {
    if PCI_LOCATION_ATTRIBUTES.contains(&number) {
        return Ok(0);
    }
    RECORD.attributes.get(&number).copied().ok_or(Code::INVALID_VALUE)
}

/// The default value of a limit; `None` if there is no such limit.
pub fn limit(number: i32) -> Option<u64> {
    RECORD.limits.get(&number).copied()
}

/// The highest and the lowest priority of a stream.
pub const PRIORITIES: (i32, i32) = (-5, 0);

#[cfg(test)]
mod tests {
    use super::*;

    /// The offsets are those of CUDA 13's structure.
    #[test]
    fn properties_are_those_of_the_record() {
        let bytes = properties(512 << 20, 227 << 10);
        let int = |at: usize| i32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"));
        assert!(bytes.starts_with(NAME) && bytes[NAME.len()] == 0);
        assert_eq!(bytes.len(), PROPERTIES_BYTES);
        assert_eq!((int(308), int(320)), (32, 1024), "warp, threads per block");
        assert_eq!((int(360), int(364)), (9, 0), "compute capability");
        assert_eq!(int(384), ptxsim::MULTIPROCESSORS as i32);
        assert_eq!(int(296), 49152);
        assert_eq!(int(672), 227 << 10);
        assert_eq!(int(MEMORY_OFFSET), 512 << 20);
    }

    /// The offsets are those of CUDA 12.4's structure.
    #[test]
    fn properties_of_cuda_12() {
        let bytes = cuda_12_properties(512 << 20, 64 << 10);
        let int = |at: usize| i32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"));
        assert!(bytes.starts_with(NAME) && bytes[NAME.len()] == 0);
        assert_eq!((int(308), int(320)), (32, 1024), "warp, threads per block");
        assert_eq!((int(360), int(364)), (9, 0), "compute capability");
        assert_eq!(int(388), ptxsim::MULTIPROCESSORS as i32);
        assert_eq!(int(696), 64 << 10, "shared memory per block after opting in");
        assert_eq!((int(348), int(608)), (1_980_000, 3_201_000), "clock rates in kHz");
        assert_eq!(int(MEMORY_OFFSET), 512 << 20);
    }

    #[test]
    fn locations_on_the_bus() {
        assert_eq!(bus(BUS), Some([0; 3]));
        assert_eq!((bus("0000:fe:1f.0"), bus("fe:1f")), (Some([0, 254, 31]), Some([0, 254, 31])));
        assert_eq!((bus("nonsense"), bus("")), (None, None));
    }

    #[test]
    fn attributes_and_limits() {
        assert_eq!(attribute(10), Ok(32));
        assert_eq!(attribute(16), Ok(132));
        assert_eq!(attribute(34), Ok(0));
        assert_eq!((attribute(0), attribute(148)), (Err(Code(1)), Err(Code(1))));
        assert_eq!((limit(0), limit(2), limit(3)), (Some(1024), Some(8 << 20), None));
    }
}
