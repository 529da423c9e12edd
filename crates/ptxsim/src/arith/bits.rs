//! Bit manipulation: fields, permutes, shifts (PTX ISA, "Integer Arithmetic Instructions" for the
//! bit-field ones, "Logic and Shift Instructions", and `prmt`).

macro_rules! fields {
    ($($int:ident, $amount:literal: $bfe_u:ident, $bfe_s:ident, $bfi:ident as $signed:ident;)*) => { $(
        /// `bfe`, unsigned: `length` bits of `a` from bit `start`, bits beyond the top are zero.
        /// With 32 bits both are taken modulo 256, with 64 bits they are not truncated (NVIDIA
        /// H200; PTX ISA restricts them to 0 to 255).
        #[inline(always)]
        pub fn $bfe_u(a: $int, start: u32, length: u32) -> $int {
            let (start, length) = (start & $amount, length & $amount);
            let mask = if length < $int::BITS { ((1 as $int) << length) - 1 } else { !0 };
            if start < $int::BITS { a >> start & mask } else { 0 }
        }

        /// `bfe`, signed: like the unsigned one, extended with the field's sign bit, or with `a`'s
        /// top bit where the field reaches beyond it. A field of no bits is 0.
        #[inline(always)]
        pub fn $bfe_s(a: $signed, start: u32, length: u32) -> $signed {
            let (start, length) = (start & $amount, length & $amount);
            if length == 0 {
                return 0;
            }
            let rest = a >> start.min($int::BITS - 1); // copies of the top bit fill the rest
            let spare = $int::BITS - length.min($int::BITS);
            rest << spare >> spare
        }

        /// `bfi d, a, b, start, length`: the low `length` bits of `a` put into `b` at bit `start`.
        #[inline(always)]
        pub fn $bfi(a: $int, b: $int, start: u32, length: u32) -> $int {
            let (start, length) = (start & $amount, length & $amount);
            if start >= $int::BITS {
                return b;
            }
            let ones = if length < $int::BITS { ((1 as $int) << length) - 1 } else { !0 };
            let mask = ones << start;
            b & !mask | a << start & mask
        }
    )* };
}

fields! {
    u32, 0xff: bfe_u32, bfe_s32, bfi_b32 as i32;
    u64, 0xffff_ffff: bfe_u64, bfe_s64, bfi_b64 as i64;
}

/// `bfind.u32`: the position of the highest 1, or all ones if there is none.
#[inline(always)]
pub fn bfind_u32(a: u32) -> u32 {
    31u32.wrapping_sub(a.leading_zeros())
}

/// `bfind.s32`: the position of the highest bit that differs from the sign.
#[inline(always)]
pub fn bfind_s32(a: i32) -> u32 {
    bfind_u32((a ^ a >> 31) as u32)
}

/// `bfind.u64`: the position of the highest 1, or all ones if there is none.
#[inline(always)]
pub fn bfind_u64(a: u64) -> u32 {
    63u32.wrapping_sub(a.leading_zeros())
}

/// `bfind.s64`: the position of the highest bit that differs from the sign.
#[inline(always)]
pub fn bfind_s64(a: i64) -> u32 {
    bfind_u64((a ^ a >> 63) as u64)
}

/// `bfind.shiftamt`: turns a position into the left shift that moves that bit to the top (bit 31 or
/// 63).
#[inline(always)]
pub fn bfind_shift(found: u32, top: u32) -> u32 {
    if found == u32::MAX { found } else { top.wrapping_sub(found) }
}

macro_rules! shifts {
    ($($int:ident: $shl:ident, $shr_u:ident, $shr_s:ident as $signed:ident;)*) => { $(
        /// `shl`: amounts beyond the width give 0.
        #[inline(always)]
        pub fn $shl(a: $int, by: u32) -> $int {
            if by < $int::BITS { a << by } else { 0 }
        }

        /// `shr`, unsigned or `.b`: amounts beyond the width give 0.
        #[inline(always)]
        pub fn $shr_u(a: $int, by: u32) -> $int {
            if by < $int::BITS { a >> by } else { 0 }
        }

        /// `shr`, signed: amounts beyond the width give copies of the sign.
        #[inline(always)]
        pub fn $shr_s(a: $signed, by: u32) -> $signed {
            a >> by.min($int::BITS - 1)
        }
    )* };
}

shifts! {
    u16: shl_b16, shr_u16, shr_s16 as i16;
    u32: shl_b32, shr_u32, shr_s32 as i32;
    u64: shl_b64, shr_u64, shr_s64 as i64;
}

/// How `shf`, `bmsk` and `szext` treat amounts of 32 and more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Overshoot {
    /// `.clamp`: as 32.
    Clamp,
    /// `.wrap`: modulo 32.
    Wrap,
}

impl Overshoot {
    #[inline(always)]
    fn amount(self, by: u32) -> u32 {
        match self {
            Self::Clamp => by.min(32),
            Self::Wrap => by & 31,
        }
    }
}

/// `shf.l d, a, b, c`: the upper word of `{b, a}` (`b` above `a`) shifted left.
#[inline(always)]
pub fn shf_l(a: u32, b: u32, by: u32, mode: Overshoot) -> u32 {
    ((u64::from(b) << 32 | u64::from(a)) << mode.amount(by) >> 32) as u32
}

/// `shf.r d, a, b, c`: the lower word of `{b, a}` (`b` above `a`) shifted right.
#[inline(always)]
pub fn shf_r(a: u32, b: u32, by: u32, mode: Overshoot) -> u32 {
    ((u64::from(b) << 32 | u64::from(a)) >> mode.amount(by)) as u32
}

/// How `prmt` chooses bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Permute {
    /// No mode: four selectors of four bits.
    Generic,
    /// `.f4e`: four bytes upwards from the selected one.
    Forward4,
    /// `.b4e`: four bytes downwards from the selected one.
    Backward4,
    /// `.rc8`: the selected byte, four times.
    Replicate8,
    /// `.ecl`: bytes below the selected one replaced by it.
    EdgeLeft,
    /// `.ecr`: bytes above the selected one replaced by it.
    EdgeRight,
    /// `.rc16`: the selected half, twice.
    Replicate16,
}

/// `prmt.b32`: four bytes of `{b, a}`, chosen by `control`.
#[inline(always)]
pub fn prmt(a: u32, b: u32, control: u32, mode: Permute) -> u32 {
    let source = u64::from(b) << 32 | u64::from(a);
    let chosen = control & 3;
    (0..4).fold(0, |word, i| {
        let selector = match mode {
            Permute::Generic => control >> (4 * i) & 15,
            Permute::Forward4 => chosen + i,
            Permute::Backward4 => chosen.wrapping_sub(i) & 7,
            Permute::Replicate8 => chosen,
            Permute::EdgeLeft => chosen.max(i),
            Permute::EdgeRight => chosen.min(i),
            Permute::Replicate16 => (chosen & 1) * 2 + (i & 1),
        };
        let byte = (source >> (8 * (selector & 7))) as u8;
        let byte = if selector & 8 == 0 { byte } else { (byte as i8 >> 7) as u8 };
        word | u32::from(byte) << (8 * i)
    })
}

/// `lop3.b32`: for each bit, the bit of `table` numbered `4a + 2b + c`.
#[inline(always)]
pub fn lop3(a: u32, b: u32, c: u32, table: u8) -> u32 {
    // c selects one of each pair of table entries, then b one of each pair of these, then a
    let pick = |low: u32, high: u32, by: u32| low ^ (low ^ high) & by;
    let entry = |i: u32| 0u32.wrapping_sub(u32::from(table) >> i & 1);
    let pair = |i: u32| pick(entry(i), entry(i + 1), c);
    pick(pick(pair(0), pair(2), b), pick(pair(4), pair(6), b), a)
}

macro_rules! lop3_tables {
    ($($high:literal)*) => {
        /// [`lop3`] with each of the 256 tables.
        pub const LOP3: [fn(u32, u32, u32) -> u32; 256] = [$(
            |a, b, c| lop3(a, b, c, $high),
            |a, b, c| lop3(a, b, c, $high + 1),
            |a, b, c| lop3(a, b, c, $high + 2),
            |a, b, c| lop3(a, b, c, $high + 3),
            |a, b, c| lop3(a, b, c, $high + 4),
            |a, b, c| lop3(a, b, c, $high + 5),
            |a, b, c| lop3(a, b, c, $high + 6),
            |a, b, c| lop3(a, b, c, $high + 7),
        )*];
    };
}

lop3_tables! {
    0x00 0x08 0x10 0x18 0x20 0x28 0x30 0x38 0x40 0x48 0x50 0x58 0x60 0x68 0x70 0x78
    0x80 0x88 0x90 0x98 0xa0 0xa8 0xb0 0xb8 0xc0 0xc8 0xd0 0xd8 0xe0 0xe8 0xf0 0xf8
}

/// `fns.b32`: the position of the `offset`-th set bit of `mask` counted from bit `base`, upwards or
/// (negative offsets) downwards; all ones if there is none. A `base` beyond 31, which is undefined
/// in PTX, gives all ones.
#[inline]
pub fn fns(mask: u32, base: u32, offset: i32) -> u32 {
    if base > 31 {
        return u32::MAX;
    }
    let wanted = offset.unsigned_abs().saturating_sub(1); // how many set bits to pass over
    let mut left = match offset {
        0 => mask & 1 << base,
        1.. => mask & (u32::MAX << base),
        _ => mask & (u32::MAX >> (31 - base)),
    };
    if left.count_ones() <= wanted {
        return u32::MAX;
    }
    for _ in 0..wanted {
        left ^= if offset > 0 { left & left.wrapping_neg() } else { 1 << left.ilog2() };
    }
    if offset > 0 { left.trailing_zeros() } else { left.ilog2() }
}

/// `bmsk.b32`: ones from bit `start`, `width` of them, cut at bit 31.
#[inline(always)]
pub fn bmsk(start: u32, width: u32, mode: Overshoot) -> u32 {
    let (start, width) = (mode.amount(start), mode.amount(width));
    let ones = ((1u64 << width) - 1) as u32;
    shl_b32(ones, start)
}

/// `szext.u32`: the low `bits` bits of `a`, zero-extended.
#[inline(always)]
pub fn szext_u32(a: u32, bits: u32, mode: Overshoot) -> u32 {
    a & ((1u64 << mode.amount(bits)) - 1) as u32
}

/// `szext.s32`: the low `bits` bits of `a`, sign-extended; of no bits, 0.
#[inline(always)]
pub fn szext_s32(a: i32, bits: u32, mode: Overshoot) -> i32 {
    bfe_s32(a, 0, mode.amount(bits))
}

/// The absolute difference of two parts of `width` bits, 8 or 16, at bit `at`.
#[inline(always)]
const fn distance(a: u32, b: u32, at: u32, width: u32, signed: bool) -> u32 {
    let cut = 32 - width;
    if signed {
        let (x, y) = ((a >> at << cut) as i32 >> cut, (b >> at << cut) as i32 >> cut);
        x.abs_diff(y)
    } else {
        (a >> at << cut >> cut).abs_diff(b >> at << cut >> cut)
    }
}

/// `vabsdiff2`, `vabsdiff4`: the absolute differences of all parts, packed.
#[inline]
pub const fn distances(a: u32, b: u32, _c: u32, width: u32, signed: bool) -> u32 {
    let (mut all, mut at) = (0, 0);
    while at < 32 {
        all |= distance(a, b, at, width, signed) << at;
        at += width;
    }
    all
}

/// The same with `.add`: the sum of the differences and `c`.
#[inline]
pub const fn distance_sum(a: u32, b: u32, c: u32, width: u32, signed: bool) -> u32 {
    let (mut sum, mut at) = (c, 0);
    while at < 32 {
        sum = sum.wrapping_add(distance(a, b, at, width, signed));
        at += width;
    }
    sum
}

#[cfg(test)]
mod tests;
