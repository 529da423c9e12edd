//! `tf32`: the numbers that tensor cores take, `f32` patterns of which the last 13 bits are zeros
//! (PTX ISA, "Alternate Floating-Point Data Formats", `cvt`).

/// How the last 13 bits are rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tie {
    /// `.rna`: to nearest, halfway cases away from zero.
    Away,
    /// `.rn`: to nearest, halfway cases to even.
    Even,
    /// `.rz`: towards zero.
    Zero,
}

/// Rounds an `f32` to `tf32`. A NaN keeps its upper bits with `.rna`, as on an H200, and becomes
/// the canonical one with the others.
#[inline(always)]
pub const fn tf32(a: u32, tie: Tie) -> u32 {
    if a & 0x7fff_ffff > 0x7f80_0000 {
        return match tie {
            Tie::Away => (a | 0x0040_0000) & 0xffff_e000,
            _ => 0x7fff_ffff,
        };
    }
    // a carry out of the fraction increments the exponent, possibly to infinity
    let add = match tie {
        Tie::Away => 0x1000,
        Tie::Even => 0xfff + (a >> 13 & 1),
        Tie::Zero => 0,
    };
    a.wrapping_add(add) & 0xffff_e000
}

/// `.relu`: negative numbers become +0; a NaN stays.
#[inline(always)]
pub const fn tf32_relu(a: u32) -> u32 {
    if a >> 31 == 1 { 0 } else { a }
}

/// `.satfinite`: an infinity becomes the largest finite number.
#[inline(always)]
pub const fn tf32_satfinite(a: u32) -> u32 {
    if a & 0x7fff_ffff == 0x7f80_0000 { a - 0x2000 } else { a }
}
