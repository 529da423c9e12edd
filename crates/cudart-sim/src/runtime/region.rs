//! Bytes in rows and planes: what copies and sets touch. A plain range is the case of one row.

/// Size of a box: bytes of a row, rows of a plane, planes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Bytes.
    pub width: u64,
    /// Rows.
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

    /// Is there nothing in it?
    pub const fn is_empty(self) -> bool {
        self.width == 0 || self.height == 0 || self.depth == 0
    }

    /// Are there several rows, in one plane or in several?
    pub const fn has_rows(self) -> bool {
        self.height > 1 || self.depth > 1
    }

    /// Its bytes; `None` for more than there can be.
    pub const fn bytes(self) -> Option<u64> {
        match self.width.checked_mul(self.height) {
            Some(plane) => plane.checked_mul(self.depth),
            None => None,
        }
    }
}

/// How rows lie in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rows {
    /// The first byte.
    pub address: u64,
    /// Bytes from row to row.
    pub pitch: u64,
    /// Bytes from plane to plane.
    pub plane: u64,
}

impl Rows {
    /// Memory without rows.
    pub const fn line(address: u64) -> Self {
        Self { address, pitch: 0, plane: 0 }
    }
}

/// A box of bytes in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    /// Where its rows are.
    pub rows: Rows,
    /// How large it is; not empty.
    pub extent: Extent,
}

impl Region {
    /// A plain range.
    pub const fn line(address: u64, bytes: u64) -> Self {
        Self { rows: Rows::line(address), extent: Extent::line(bytes) }
    }

    /// Bytes from the first to the last, with those between the rows; `None` for more than there can be.
    pub fn span(&self) -> Option<u64> {
        let Extent { width, height, depth } = self.extent;
        let rows = (height - 1).checked_mul(self.rows.pitch)?;
        let planes = (depth - 1).checked_mul(self.rows.plane)?;
        planes.checked_add(rows)?.checked_add(width)
    }

    /// The address of each row, plane by plane.
    pub fn rows(&self) -> impl Iterator<Item = u64> + use<> {
        let Self { rows: Rows { address, pitch, plane }, extent } = *self;
        (0..extent.depth)
            .flat_map(move |z| (0..extent.height).map(move |y| address + z * plane + y * pitch))
    }

    /// Bytes in it.
    pub const fn bytes(&self) -> u64 {
        self.extent.width * self.extent.height * self.extent.depth
    }
}

/// The same box in two memories, with as few rows as there can be: rows without gaps on both sides become one.
pub fn joined(a: Rows, b: Rows, mut extent: Extent) -> (Region, Region) {
    let whole = |gap: fn(&Rows) -> u64, bytes: Option<u64>| {
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
    (Region { rows: a, extent }, Region { rows: b, extent })
}

/// The same memory from another byte, row and plane on; `None` for none that there can be.
pub fn inside(rows: Rows, [x, y, z]: [u64; 3]) -> Option<Rows> {
    let skipped = y.checked_mul(rows.pitch)?.checked_add(z.checked_mul(rows.plane)?)?;
    let address = rows.address.checked_add(skipped)?.checked_add(x)?;
    Some(Rows { address, ..rows })
}

#[cfg(test)]
mod tests {
    use super::{Extent, Region, Rows, joined};

    #[test]
    fn rows_of_a_box() {
        let rows = Rows { address: 1000, pitch: 10, plane: 100 };
        let region = Region { rows, extent: Extent { width: 4, height: 2, depth: 3 } };
        let all: Vec<u64> = region.rows().collect();
        assert_eq!(all, [1000, 1010, 1100, 1110, 1200, 1210]);
        assert_eq!((region.span(), region.bytes()), (Some(214), 24));
        assert_eq!(Region::line(8, 5).rows().collect::<Vec<_>>(), [8]);
        assert_eq!(Region::line(8, 5).span(), Some(5));
        let far = Rows { pitch: u64::MAX, ..rows };
        assert_eq!(Region { rows: far, extent: Extent::plane(4, 3) }.span(), None);
        assert_eq!(Extent::plane(u64::MAX, 2).bytes(), None);
        assert!(Extent { width: 4, height: 0, depth: 1 }.is_empty());
    }

    #[test]
    fn rows_without_gaps_are_one() {
        let tight = Rows { address: 0, pitch: 4, plane: 8 };
        let extent = Extent { width: 4, height: 2, depth: 3 };
        let shape = |a, b| joined(a, b, extent).0.extent;
        assert_eq!(shape(tight, tight), Extent::line(24));
        let gap = Rows { pitch: 5, plane: 10, ..tight };
        assert_eq!(shape(tight, gap), extent);
        let planes = Rows { plane: 9, ..tight };
        assert_eq!(shape(planes, tight), Extent { width: 8, height: 1, depth: 3 });
        let one = Extent { width: 4, height: 1, depth: 1 };
        assert_eq!(joined(gap, planes, one).1.extent, Extent::line(4));
    }
}
