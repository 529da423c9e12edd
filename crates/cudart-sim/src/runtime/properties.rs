//! What the simulated device says of itself: an H200 (`hardware/device-h200.txt`, which `hardware/device.cu` printed), as
//! far as the simulator is one, with a name, a size of memory and places of its own.

use std::collections::HashMap;
use std::sync::LazyLock;

use ptxsim::Memory;

use crate::error::{Code, Result};

/// `sizeof(cudaDeviceProp)` in CUDA 13.
pub const PROPERTIES_BYTES: usize = 1008;

/// Its name.
const NAME: &[u8] = b"CUDA Workbook simulator";

/// CUDA 13.0, of the runtime and of the driver.
pub const VERSION: i32 = 13_000;

/// On which bus it would be.
pub const BUS: &str = "0000:00:00.0";

/// Domain, bus and device of a place on the bus: `0000:00:00.0`, or without the domain or the function.
pub fn bus(text: &str) -> Option<[u32; 3]> {
    let (place, function) = text.rsplit_once('.').unwrap_or((text, "0"));
    let numbers = place.split(':').map(|part| u32::from_str_radix(part, 16).ok());
    let numbers: Option<Vec<u32>> = numbers.collect();
    function.parse::<u32>().ok()?;
    match numbers?[..] {
        [domain, bus, device] => Some([domain, bus, device]),
        [bus, device] => Some([0, bus, device]),
        _ => None,
    }
}

/// Where in `cudaDeviceProp` what is changed lies: the name, the memory's size, the place on the bus.
const NAME_AT: usize = 0;
const NAME_BYTES: usize = 256;
const IDENTIFIERS: std::ops::Range<usize> = 256..284;
const MEMORY_AT: usize = 288;
const PLACE: std::ops::Range<usize> = 568..580;
const GPU_PLACE: std::ops::Range<usize> = 772..780;

/// Attributes of the place on the bus: `cudaDevAttrPciBusId`, `...DeviceId`, `...DomainId`, and of the GPU.
const PLACE_ATTRIBUTES: [i32; 5] = [33, 34, 50, 139, 140];

/// What the device printed.
struct Record {
    properties: Vec<u8>,
    /// Values by number; those that are not there are unknown to the runtime.
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

/// `cudaDeviceProp`.
pub fn properties() -> Vec<u8> {
    let mut bytes = RECORD.properties.clone();
    bytes[NAME_AT..NAME_BYTES].fill(0);
    bytes[NAME_AT..NAME.len()].copy_from_slice(NAME);
    for place in [IDENTIFIERS, PLACE, GPU_PLACE] {
        bytes[place].fill(0);
    }
    bytes[MEMORY_AT..MEMORY_AT + 8].copy_from_slice(&Memory::CAPACITY.to_le_bytes());
    bytes
}

/// `cudaDeviceGetAttribute`.
pub fn attribute(number: i32) -> Result<i32> {
    if PLACE_ATTRIBUTES.contains(&number) {
        return Ok(0);
    }
    RECORD.attributes.get(&number).copied().ok_or(Code::INVALID_VALUE)
}

/// A limit as it is before anybody sets it; `None` for one that there is not.
pub fn limit(number: i32) -> Option<u64> {
    RECORD.limits.get(&number).copied()
}

/// The greatest and the least number that a stream's priority can be.
pub const PRIORITIES: (i32, i32) = (-5, 0);

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers at their places in CUDA 13's structure.
    #[test]
    fn properties_are_those_of_the_record() {
        let bytes = properties();
        let int = |at: usize| i32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"));
        assert!(bytes.starts_with(NAME) && bytes[NAME.len()] == 0);
        assert_eq!(bytes.len(), PROPERTIES_BYTES);
        assert_eq!((int(308), int(320)), (32, 1024), "warp, threads per block");
        assert_eq!((int(360), int(364)), (9, 0), "compute capability");
        assert_eq!(int(384), ptxsim::MULTIPROCESSORS as i32);
        assert_eq!(int(296), 49152);
        assert_eq!(int(672), 227 << 10);
        assert_eq!(int(MEMORY_AT), 512 << 20);
    }

    #[test]
    fn places_on_the_bus() {
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
