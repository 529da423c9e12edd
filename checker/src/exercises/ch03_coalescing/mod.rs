//! Chapter 3: how a warp reads memory, counted in sectors.

pub mod float4_align;
pub mod row_col_sums;
pub mod stride;
pub mod structs_soa;
