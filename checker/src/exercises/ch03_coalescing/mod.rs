//! Chapter 3: how a warp reads memory, counted in sectors.

use super::Chapter;

mod float4_align;
mod row_col_sums;
mod stride;
mod structs_soa;

/// The chapter and its exercises, in teaching order.
pub static CHAPTER: Chapter = Chapter {
    id: "ch03_coalescing",
    number: 3,
    title: "Coalescing",
    exercises: &[&stride::SPEC, &row_col_sums::SPEC, &structs_soa::SPEC, &float4_align::SPEC],
};
