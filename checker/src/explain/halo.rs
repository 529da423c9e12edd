//! Recognises an array with a halo: cells before the one that belongs to its first thread. There,
//! every thread has a left neighbour, and a negative index shows that the offset is missing.

use ptxsim::{Access, Space};

use super::scan::Subscript;
use super::scene::Scene;

/// Largest number of cells that a halo has on one side.
const MAX_HALO: u64 = 64;

impl Scene<'_> {
    /// Whether the array of an access with a negative index, which has this many elements, has a
    /// halo: an earlier store shows its offset, or a tile in shared memory has room for cells on
    /// both sides of the threads' own.
    pub fn has_halo(&self, access: &Access, elements: u64) -> bool {
        let Some(array) = access.array.as_deref().map(|array| self.name(array)) else {
            return false;
        };
        let shared = access.space == Some(Space::Shared);
        self.stores_with_offset(access, array) || shared && self.has_margin(access, array, elements)
    }

    /// Whether the function of an access stores an element some cells after the thread's own, as in
    /// `tile[tid + radius] = in[idx]`.
    fn stores_with_offset(&self, access: &Access, array: &str) -> bool {
        let line = access.source.line;
        let Some(function) = self.source.function_around(line) else { return false };
        let own = |subscript: &Subscript| {
            let [_, y, z] = access.thread;
            match (access.space, subscript.flat) {
                (Some(Space::Shared), false) if self.block[2] > 1 => u64::from(z),
                (Some(Space::Shared), false) => u64::from(y),
                (Some(Space::Shared), true) => access.linear.into(),
                _ => self.number(access.block, access.thread),
            }
        };
        let offset = |subscript: Subscript| {
            let index = self.value_at(access, &subscript.inner)?;
            u64::try_from(index - i128::from(own(&subscript))).ok()
        };
        let stores = (function.line..line).flat_map(|line| self.source.subscripts(line, array));
        let mut offsets = stores.filter(|subscript| subscript.assigned).filter_map(offset);
        offsets.any(|offset| (1..=MAX_HALO).contains(&offset))
    }

    /// Whether a tile has more cells than the block has threads, by as many as a halo takes that
    /// reaches as far as this index on either side.
    fn has_margin(&self, access: &Access, array: &str, elements: u64) -> bool {
        let halo = |cells: u64, threads: u32, reach: u64| {
            let spare = cells.saturating_sub(threads.into());
            2 * reach <= spare && spare <= 2 * MAX_HALO && spare < u64::from(threads)
        };
        let reach = access.index.filter(|index| *index < 0).map_or(1, i64::unsigned_abs);
        let declared = self.source.shared(array).map_or(vec![], |declared| declared.dims);
        if declared.len() < 2 {
            let [threads, y, z] = self.block;
            return y == 1 && z == 1 && halo(elements, threads, reach);
        }
        let axes = declared.iter().rev().zip(self.block).filter(|(_, threads)| *threads > 1);
        let mut cells =
            axes.map(|(cells, threads)| (cells.and_then(|n| n.try_into().ok()), threads));
        cells.all(|(cells, threads)| cells.is_some_and(|cells| halo(cells, threads, 1)))
    }
}
