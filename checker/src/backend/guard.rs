//! Guard zones: how an access outside a buffer shows on a device that reports none.
//!
//! A GPU checks pages, not arrays, so a write past the end of a buffer usually succeeds. Each buffer therefore lies
//! between two zones of known bytes, which nothing may change.

use super::Fault;
use super::poison::mix;

/// Bytes on each side of a buffer: more than any exercise's surplus threads can reach, and a multiple of every
/// alignment that a kernel may count on.
pub const ZONE: usize = 64 << 10;

/// A buffer's contents between its zones. `salt` tells buffers and runs apart: a kernel that copies one buffer's zone
/// onto another's must not restore what it destroys.
pub fn wrap(contents: &[u8], salt: u64) -> Vec<u8> {
    let mut image = Vec::with_capacity(contents.len() + 2 * ZONE);
    image.extend(canary(salt, 0));
    image.extend_from_slice(contents);
    image.extend(canary(salt, 1));
    image
}

/// The buffer inside an image that [`wrap`] made; empty when the image is too short to be one.
pub fn contents(image: &[u8]) -> &[u8] {
    image.get(ZONE..image.len().saturating_sub(ZONE)).unwrap_or_default()
}

/// What was changed around the buffer: at most one fault per zone, each for the element nearest to the buffer, the one
/// behind it first (that is where a missing guard writes).
pub fn check(image: &[u8], salt: u64, name: &str, element: usize) -> Vec<Fault> {
    let element = element.max(1);
    let elements = contents(image).len().div_ceil(element);
    let differs = |(a, b): (&u8, u8)| *a != b;
    let behind = image
        .get(image.len().saturating_sub(ZONE)..)
        .and_then(|zone| zone.iter().zip(canary(salt, 1)).position(differs))
        .map(|offset| (elements + offset / element) as i64);
    let before = image
        .get(..ZONE)
        .and_then(|zone| zone.iter().zip(canary(salt, 0)).rposition(differs))
        .map(|offset| -((ZONE - 1 - offset) as i64 / element as i64) - 1);
    let fault = |index| Fault::GuardZone { name: name.to_owned(), index };
    behind.into_iter().chain(before).map(fault).collect()
}

/// The bytes of one zone.
fn canary(salt: u64, side: u64) -> impl ExactSizeIterator<Item = u8> + DoubleEndedIterator {
    let words: Vec<u8> = (0..ZONE as u64 / 8)
        .flat_map(|i| mix(mix(salt ^ side << 63).wrapping_add(i)).to_le_bytes())
        .collect();
    words.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(image: &[u8], element: usize) -> Vec<i64> {
        check(image, 9, "out", element)
            .into_iter()
            .map(|f| match f {
                Fault::GuardZone { index, .. } => index,
                other => panic!("{other:?}"),
            })
            .collect()
    }

    /// The index is the one the learner's code used: out[n] is `n`, out[-1] is `-1`.
    #[test]
    fn an_element_outside_has_its_own_index() {
        let clean = wrap(&[0; 40], 9);
        assert!(index(&clean, 4).is_empty());
        assert_eq!(contents(&clean), [0; 40]);
        for (byte, expected) in [(0, 10), (3, 10), (4, 11), (ZONE - 1, 10 + ZONE as i64 / 4 - 1)] {
            let mut image = clean.clone();
            image[ZONE + 40 + byte] ^= 1;
            assert_eq!(index(&image, 4), [expected], "byte {byte} behind");
        }
        for (byte, expected) in [(1, -1), (4, -1), (5, -2), (ZONE, -(ZONE as i64) / 4)] {
            let mut image = clean.clone();
            image[ZONE - byte] ^= 1;
            assert_eq!(index(&image, 4), [expected], "byte {byte} before");
        }
    }

    /// Both sides are reported, the one behind the buffer first.
    #[test]
    fn both_zones_are_checked() {
        let mut image = wrap(&[0; 8], 9);
        image[ZONE - 1] ^= 1;
        image[ZONE + 8] ^= 1;
        assert_eq!(index(&image, 4), [2, -1]);
    }

    /// `out[i] = in[i]` beyond both ends must not copy one buffer's canary over an equal one.
    #[test]
    fn buffers_have_different_canaries() {
        let (a, b) = (wrap(&[], 1), wrap(&[], 2));
        assert!(a.chunks(4).zip(b.chunks(4)).all(|(x, y)| x != y));
        assert!(a[..ZONE].chunks(4).zip(a[ZONE..].chunks(4)).all(|(x, y)| x != y));
        assert!(a.chunks(4).zip(a.chunks(4).skip(1)).all(|(x, y)| x != y));
    }
}
