//! Whether data that the host sends is a part of its caller's arrays.

use super::WatchedArray;

/// Shorter data may be in an array by chance, unless it is whole elements.
pub(super) const MIN_BYTES: usize = 16;

/// What data is, without the values of the caller's arrays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Part<'a> {
    /// This part of this array, which the host has not changed.
    InPlace { array: usize, offset: usize, bytes: usize },
    /// A copy of some part of this array, which the host has made.
    Copied { array: usize, bytes: usize },
    /// A copy of something that the device has delivered.
    Delivered { bytes: usize },
    /// Words of the arrays and of deliveries in any order.
    Rearranged { bytes: usize },
    /// Anything else.
    Own(&'a [u8]),
}

/// What data from this address of the host is.
pub(super) fn part<'a>(arrays: &[WatchedArray], address: u64, data: &'a [u8]) -> Part<'a> {
    let bytes = data.len();
    for (index, array) in arrays.iter().enumerate() {
        if let Some(offset) = array.offset(address)
            && array.contents.get(offset..offset + bytes) == Some(data)
        {
            return Part::InPlace { array: index, offset, bytes };
        }
    }
    // a chunk may be a single element, which the host has copied somewhere else before
    let elements = |array: &WatchedArray| {
        bytes.is_multiple_of(4) && find_all(&array.contents, data).any(|at| at.is_multiple_of(4))
    };
    let found = |array: &WatchedArray| {
        elements(array)
            || (bytes >= MIN_BYTES || bytes == array.contents.len())
                && find_all(&array.contents, data).next().is_some()
    };
    match arrays.iter().position(found) {
        Some(array) => Part::Copied { array, bytes },
        None => Part::Own(data),
    }
}

/// The places at which `data`, which is not empty, stands in `all`.
pub(super) fn find_all<'a>(all: &'a [u8], data: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    memchr::memmem::find_iter(all, data)
}

#[cfg(test)]
mod tests {
    use super::{Part, part};
    use crate::runtime::dataflow::WatchedArray;

    fn arrays() -> Vec<WatchedArray> {
        let array = |name: &str, address, contents| WatchedArray {
            name: name.into(),
            address,
            contents,
            output: false,
        };
        vec![array("a", 1000, (0..64).collect()), array("b", 2000, vec![7; 4])]
    }

    /// Data that stands in the arrays is the same command for all values.
    #[test]
    fn parts_of_arrays_are_known_by_their_place() {
        let all = arrays();
        let data: Vec<u8> = (8..40).collect();
        let in_place = Part::InPlace { array: 0, offset: 8, bytes: 32 };
        assert_eq!(part(&all, 1008, &data), in_place);
        assert_eq!(part(&all, 9999, &data), Part::Copied { array: 0, bytes: 32 });
        assert_eq!(part(&all, 0, &data[..16]), Part::Copied { array: 0, bytes: 16 });
        assert_eq!(part(&all, 0, &[7; 4]), Part::Copied { array: 1, bytes: 4 });
    }

    /// The host may have changed an array, and a few bytes stand in every array.
    #[test]
    fn other_data_is_what_it_is() {
        let all = arrays();
        assert_eq!(part(&all, 1008, &[1; 32]), Part::Own(&[1; 32]));
        assert_eq!(part(&all, 0, &[3, 4]), Part::Own(&[3, 4]));
        assert_eq!(part(&all, 1060, &[60, 61, 62, 63, 64]), Part::Own(&[60, 61, 62, 63, 64]));
    }
}
