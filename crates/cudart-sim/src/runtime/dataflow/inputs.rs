//! Whether data that the host sends stands somewhere that it may copy from.

/// Shorter data may stand there by chance, unless it is whole elements.
pub(super) const MIN_BYTES: usize = 16;

/// Bytes of the smallest elements that a chunk may consist of.
const ELEMENT_BYTES: usize = 4;

/// Whether `data` is a part of `all`, which the host has copied from there: all of it, a long part,
/// or whole elements.
pub(super) fn holds(all: &[u8], data: &[u8]) -> bool {
    if all == data {
        return true;
    }
    let aligned = |at: &usize| at.is_multiple_of(ELEMENT_BYTES);
    let elements = data.len().is_multiple_of(ELEMENT_BYTES);
    let mut places = find_all(all, data);
    places.any(|at| data.len() >= MIN_BYTES || elements && aligned(&at))
}

/// The places at which `data`, which is not empty, stands in `all`.
pub(super) fn find_all<'a>(all: &'a [u8], data: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    memchr::memmem::find_iter(all, data)
}

#[cfg(test)]
mod tests {
    use super::holds;

    #[test]
    fn parts_of_arrays_are_held() {
        let array: Vec<u8> = (0..64).collect();
        assert!(holds(&array, &array[9..30]), "a long part");
        assert!(holds(&array, &array[8..12]), "an element");
        assert!(holds(&[7; 3], &[7; 3]), "all of it");
    }

    /// A few bytes stand in every array.
    #[test]
    fn other_data_is_not_held() {
        let array: Vec<u8> = (0..64).collect();
        assert!(!holds(&array, &[1; 32]));
        assert!(!holds(&array, &array[8..11]), "no element");
        assert!(!holds(&array, &array[9..13]), "parts of two elements");
    }
}
