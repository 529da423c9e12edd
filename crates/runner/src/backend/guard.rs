//! Guard zones, which reveal writes outside a buffer on a device that does not report them.
//!
//! A GPU checks pages, not arrays, so a write past the end of a buffer usually succeeds. Each
//! buffer therefore lies between two zones of known bytes, which are compared after the launch.

use super::Fault;
use super::poison::mix;

/// Bytes on each side of a buffer: more than the surplus threads of any exercise can reach, and a
/// multiple of every alignment that a kernel may rely on.
pub const ZONE_BYTES: usize = 64 << 10;

/// A buffer's contents between its zones. Each buffer of each run has its own `salt`, so that a
/// kernel that copies the zone of one buffer over the zone of another changes it.
pub fn wrap(contents: &[u8], salt: u64) -> Vec<u8> {
    let mut image = Vec::with_capacity(contents.len() + 2 * ZONE_BYTES);
    image.extend(canary(salt, 0));
    image.extend_from_slice(contents);
    image.extend(canary(salt, 1));
    image
}

/// The buffer inside an image that [`wrap`] made; empty when the image is too short to be one.
pub fn contents(image: &[u8]) -> &[u8] {
    image.get(ZONE_BYTES..image.len().saturating_sub(ZONE_BYTES)).unwrap_or_default()
}

/// The changes around the buffer: at most one fault per zone, for the element nearest to the
/// buffer. The zone behind the buffer comes first, because a kernel without a bounds check writes
/// there.
pub fn check(image: &[u8], salt: u64, name: &str, element: usize) -> Vec<Fault> {
    let element = element.max(1);
    let elements = contents(image).len().div_ceil(element);
    let differs = |(a, b): (&u8, u8)| *a != b;
    let behind = image
        .get(image.len().saturating_sub(ZONE_BYTES)..)
        .and_then(|zone| zone.iter().zip(canary(salt, 1)).position(differs))
        .map(|offset| (elements + offset / element) as i64);
    let before = image
        .get(..ZONE_BYTES)
        .and_then(|zone| zone.iter().zip(canary(salt, 0)).rposition(differs))
        .map(|offset| -((ZONE_BYTES - 1 - offset) as i64 / element as i64) - 1);
    let fault = |index| Fault::GuardZone { name: name.to_owned(), index };
    behind.into_iter().chain(before).map(fault).collect()
}

/// The bytes of one zone.
fn canary(salt: u64, side: u64) -> impl ExactSizeIterator<Item = u8> + DoubleEndedIterator {
    let words: Vec<u8> = (0..ZONE_BYTES as u64 / 8)
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
        for (byte, expected) in
            [(0, 10), (3, 10), (4, 11), (ZONE_BYTES - 1, 10 + ZONE_BYTES as i64 / 4 - 1)]
        {
            let mut image = clean.clone();
            image[ZONE_BYTES + 40 + byte] ^= 1;
            assert_eq!(index(&image, 4), [expected], "byte {byte} behind");
        }
        for (byte, expected) in [(1, -1), (4, -1), (5, -2), (ZONE_BYTES, -(ZONE_BYTES as i64) / 4)]
        {
            let mut image = clean.clone();
            image[ZONE_BYTES - byte] ^= 1;
            assert_eq!(index(&image, 4), [expected], "byte {byte} before");
        }
    }

    /// Both sides are reported, the one behind the buffer first.
    #[test]
    fn both_zones_are_checked() {
        let mut image = wrap(&[0; 8], 9);
        image[ZONE_BYTES - 1] ^= 1;
        image[ZONE_BYTES + 8] ^= 1;
        assert_eq!(index(&image, 4), [2, -1]);
    }

    /// `out[i] = in[i]` beyond both ends must not copy one buffer's canary over an equal one.
    #[test]
    fn buffers_have_different_canaries() {
        let (a, b) = (wrap(&[], 1), wrap(&[], 2));
        assert!(a.chunks(4).zip(b.chunks(4)).all(|(x, y)| x != y));
        assert!(a[..ZONE_BYTES].chunks(4).zip(a[ZONE_BYTES..].chunks(4)).all(|(x, y)| x != y));
        assert!(a.chunks(4).zip(a.chunks(4).skip(1)).all(|(x, y)| x != y));
    }
}
