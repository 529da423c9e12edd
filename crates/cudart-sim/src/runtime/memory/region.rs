//! Boxes of bytes in memory, which copies and sets read and write. A plain range is a box with one
//! row.

use crate::report::CopiedRows;

/// The size of a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Bytes of a row.
    pub width: u64,
    /// Rows of a plane.
    pub height: u64,
    /// Planes.
    pub depth: u64,
}

impl Extent {
    /// One row.
    pub const fn line(bytes: u64) -> Self {
        Self { width: bytes, height: 1, depth: 1 }
    }

    /// One plane.
    pub const fn plane(width: u64, height: u64) -> Self {
        Self { width, height, depth: 1 }
    }

    /// Is the box empty?
    pub const fn is_empty(self) -> bool {
        self.width == 0 || self.height == 0 || self.depth == 0
    }

    /// Does the box have more than one row, in one plane or several?
    pub const fn has_rows(self) -> bool {
        self.height > 1 || self.depth > 1
    }

    /// Its bytes; `None` if the number does not fit in 64 bits.
    pub const fn bytes(self) -> Option<u64> {
        match self.width.checked_mul(self.height) {
            Some(plane) => plane.checked_mul(self.depth),
            None => None,
        }
    }
}

/// Where the rows of a box are in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowLayout {
    /// The first byte.
    pub address: u64,
    /// Bytes from row to row.
    pub pitch: u64,
    /// Bytes from plane to plane.
    pub plane: u64,
}

impl RowLayout {
    /// Memory with a single row.
    pub const fn linear(address: u64) -> Self {
        Self { address, pitch: 0, plane: 0 }
    }
}

/// A box of bytes in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    /// Where its rows are.
    pub layout: RowLayout,
    /// Its size, which is not empty.
    pub extent: Extent,
}

impl Region {
    /// A plain range.
    pub const fn line(address: u64, bytes: u64) -> Self {
        Self { layout: RowLayout::linear(address), extent: Extent::line(bytes) }
    }

    /// Bytes from the first to the last, including those between the rows; `None` if the number
    /// does not fit in 64 bits.
    pub fn span(&self) -> Option<u64> {
        let Extent { width, height, depth } = self.extent;
        let rows = (height - 1).checked_mul(self.layout.pitch)?;
        let planes = (depth - 1).checked_mul(self.layout.plane)?;
        planes.checked_add(rows)?.checked_add(width)
    }

    /// Its rows, if it has several.
    pub fn several_rows(&self) -> Option<CopiedRows> {
        let Extent { width, height, depth } = self.extent;
        let RowLayout { pitch, plane, .. } = self.layout;
        self.extent.has_rows().then_some(CopiedRows { width, height, pitch, depth, plane })
    }

    /// The address of each row, plane by plane.
    pub fn rows(&self) -> impl Iterator<Item = u64> + use<> {
        let Self { layout: RowLayout { address, pitch, plane }, extent } = *self;
        (0..extent.depth)
            .flat_map(move |z| (0..extent.height).map(move |y| address + z * plane + y * pitch))
    }

    /// The bytes of the box.
    pub const fn bytes(&self) -> u64 {
        self.extent.width * self.extent.height * self.extent.depth
    }
}

/// The same box in two places, with as few rows as possible: rows without gaps in both places are
/// joined into one.
pub fn joined(a: RowLayout, b: RowLayout, mut extent: Extent) -> (Region, Region) {
    let whole = |gap: fn(&RowLayout) -> u64, bytes: Option<u64>| {
        bytes.is_some_and(|bytes| gap(&a) == bytes && gap(&b) == bytes)
    };
    let plane = extent.width.checked_mul(extent.height);
    if extent.height == 1 || whole(|rows| rows.pitch, Some(extent.width)) {
        if extent.depth == 1 || whole(|rows| rows.plane, plane) {
            extent = Extent::line(extent.width * extent.height * extent.depth);
        } else if extent.height > 1 {
            extent = Extent { width: extent.width * extent.height, height: 1, ..extent };
        }
    }
    (Region { layout: a, extent }, Region { layout: b, extent })
}

/// Why rows with this pitch cannot be those of a box.
pub fn short_pitch(pitch: u64, extent: Extent) -> String {
    format!("its pitch is {pitch} bytes, and a row of the copy has {} bytes", extent.width)
}

/// The layout that begins at another byte, row and plane; `None` if an address does not fit in 64
/// bits.
pub fn offset(rows: RowLayout, [x, y, z]: [u64; 3]) -> Option<RowLayout> {
    let skipped = y.checked_mul(rows.pitch)?.checked_add(z.checked_mul(rows.plane)?)?;
    let address = rows.address.checked_add(skipped)?.checked_add(x)?;
    Some(RowLayout { address, ..rows })
}

#[cfg(test)]
mod tests {
    use super::{Extent, Region, RowLayout, joined};

    #[test]
    fn rows_of_a_box() {
        let layout = RowLayout { address: 1000, pitch: 10, plane: 100 };
        let region = Region { layout, extent: Extent { width: 4, height: 2, depth: 3 } };
        let all: Vec<u64> = region.rows().collect();
        assert_eq!(all, [1000, 1010, 1100, 1110, 1200, 1210]);
        assert_eq!((region.span(), region.bytes()), (Some(214), 24));
        let rows = region.several_rows().expect("several rows");
        assert_eq!([0, 13, 214, 1000].map(|room| rows.bytes_outside(room)), [24, 17, 0, 0]);
        assert_eq!(Region::line(8, 5).several_rows(), None);
        assert_eq!(Region::line(8, 5).rows().collect::<Vec<_>>(), [8]);
        assert_eq!(Region::line(8, 5).span(), Some(5));
        let far = RowLayout { pitch: u64::MAX, ..layout };
        assert_eq!(Region { layout: far, extent: Extent::plane(4, 3) }.span(), None);
        assert_eq!(Extent::plane(u64::MAX, 2).bytes(), None);
        assert!(Extent { width: 4, height: 0, depth: 1 }.is_empty());
    }

    #[test]
    fn rows_without_gaps_are_one() {
        let tight = RowLayout { address: 0, pitch: 4, plane: 8 };
        let extent = Extent { width: 4, height: 2, depth: 3 };
        let shape = |a, b| joined(a, b, extent).0.extent;
        assert_eq!(shape(tight, tight), Extent::line(24));
        let gap = RowLayout { pitch: 5, plane: 10, ..tight };
        assert_eq!(shape(tight, gap), extent);
        let planes = RowLayout { plane: 9, ..tight };
        assert_eq!(shape(planes, tight), Extent { width: 8, height: 1, depth: 3 });
        let one = Extent { width: 4, height: 1, depth: 1 };
        assert_eq!(joined(gap, planes, one).1.extent, Extent::line(4));
    }
}
