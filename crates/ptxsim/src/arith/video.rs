//! Saturation of scalar video instructions (PTX ISA, "Scalar Video Instructions") as an H200
//! computes it. GPUs have no such instructions since Maxwell, so ptxas emits a sequence of others,
//! and that sequence deviates from the PTX ISA. These functions compute what ptxas 13.0 emits for
//! `sm_90`.
//!
//! A result is the exact number of the PTX ISA, as a signed number in 64 bits.

/// The low `bits` bits as a signed number.
const fn sign_extended(x: u64, bits: u32) -> i64 {
    (x << (64 - bits)) as i64 >> (64 - bits)
}

/// The low 32 bits as a signed number, which is what `vadd` and `vsub` hand to a second operation.
pub const fn low_half(x: u64) -> u64 {
    sign_extended(x, 32) as u64
}

/// A whole `u32` result with `.sat`: there is a lower bound only, so a sum above 2^32 wraps around.
pub fn saturated_u32(x: u64) -> u64 {
    (x as i64).max(0) as u64
}

/// A shifted `s32` with `.sat`, which is applied to the low 34 bits of the result.
pub fn saturated_shift_s32(x: u64) -> u64 {
    sign_extended(x, 34).clamp(i32::MIN.into(), i32::MAX.into()) as u64
}

/// A shifted `u32` with `.sat`, which is applied to the low 34 bits of the result.
pub fn saturated_shift_u32(x: u64) -> u64 {
    sign_extended(x, 34).clamp(0, u32::MAX.into()) as u64
}
